import { spawnSync } from 'node:child_process'
import type { Result } from '@steward/contract'
import { detectSandbox } from './detect-sandbox.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import type { Sandbox } from './sandbox.ts'

/** What installing needs from the machine. */
export interface InstallPorts {
  platform: NodeJS.Platform
  isRoot: boolean
  hasCommand: (name: string) => boolean
  /** Runs a command to its end; returns whether it succeeded. */
  run: (argv: readonly string[]) => boolean
  say: (line: string) => void
  detect: () => Promise<Result<Sandbox>>
}

/** Commands by package manager, tried in turn until one succeeds. */
const INSTALLERS: ReadonlyArray<{ manager: string; attempts: string[][][] }> = [
  {
    manager: 'apt-get',
    // Package lists may be missing or outdated, as in a fresh container, so update them if needed.
    attempts: [
      [['apt-get', 'install', '-y', '--no-install-recommends', 'bubblewrap']],
      [
        ['apt-get', 'update'],
        ['apt-get', 'install', '-y', '--no-install-recommends', 'bubblewrap'],
      ],
    ],
  },
  { manager: 'dnf', attempts: [[['dnf', 'install', '-y', 'bubblewrap']]] },
  { manager: 'pacman', attempts: [[['pacman', '-S', '--noconfirm', '--needed', 'bubblewrap']]] },
  { manager: 'apk', attempts: [[['apk', 'add', 'bubblewrap']]] },
  {
    manager: 'zypper',
    attempts: [[['zypper', '--non-interactive', 'install', 'bubblewrap']]],
  },
]

/**
 * Ensures that commands can run in a sandbox: installs bubblewrap with the system's package manager
 * if it is missing and no password is needed. Otherwise changes nothing; reports what it does, and
 * returns the sandbox or why there is none.
 */
export const ensureSandbox = async (
  ports: InstallPorts = systemPorts(),
): Promise<Result<Sandbox>> => {
  const before = await ports.detect()
  if (before.ok || ports.platform !== 'linux') return before
  if (ports.hasCommand('bwrap')) {
    ports.say(before.error.message)
    return before
  }
  if (!installBubblewrap(ports)) return before
  const after = await ports.detect()
  ports.say(after.ok ? 'bubblewrap is installed and works' : after.error.message)
  return after
}

const installBubblewrap = (ports: InstallPorts): boolean => {
  const installer = INSTALLERS.find(({ manager }) => ports.hasCommand(manager))
  if (installer === undefined) {
    ports.say('bubblewrap is missing, and so is a package manager to install it with')
    return false
  }
  const [manual = []] = installer.attempts[0] ?? []
  const prefix = privilegeOf(ports)
  if (prefix === undefined) {
    ports.say(`bubblewrap is missing; install it with: sudo ${manual.join(' ')}`)
    return false
  }
  ports.say(`bubblewrap is missing; installing it with ${installer.manager}`)
  const succeeds = (commands: string[][]) =>
    commands.every((command) => ports.run([...prefix, ...command]))
  if (installer.attempts.some(succeeds)) return true
  ports.say(`installing bubblewrap failed; try it by hand: ${[...prefix, ...manual].join(' ')}`)
  return false
}

/** The prefix for a command that needs root; undefined if it would ask for a password. */
const privilegeOf = ({ isRoot, hasCommand, run }: InstallPorts): string[] | undefined => {
  if (isRoot) return []
  return hasCommand('sudo') && run(['sudo', '-n', 'true']) ? ['sudo', '-n'] : undefined
}

const systemPorts = (): InstallPorts => {
  const path = `${process.env.PATH ?? ''}:${DEFAULT_PATH}`
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    hasCommand: (name) => findCommand(name, path).ok,
    run: ([command = '', ...args]) =>
      spawnSync(command, args, {
        // Standard output is reserved for data, so the package manager's output goes to standard
        // error.
        stdio: ['ignore', 2, 2],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      }).status === 0,
    say: (line) => console.error(line),
    detect: () => detectSandbox(),
  }
}
