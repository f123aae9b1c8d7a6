import { spawnSync } from 'node:child_process'
import type { Result } from '@steward/contract'
import { detectSandbox } from './detect-sandbox.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import type { Sandbox } from './sandbox.ts'

/** The functions of the machine that installing needs. */
export interface InstallPorts {
  platform: NodeJS.Platform
  isRoot: boolean
  hasCommand: (name: string) => boolean
  /** Runs a command to its end; returns whether it succeeded. */
  run: (argv: readonly string[]) => boolean
  say: (line: string) => void
  detect: () => Promise<Result<Sandbox>>
}

/** The packages of the commands that sandboxes use; the last ones give them DNS and TCP. */
const PACKAGES: Readonly<Record<string, string>> = {
  bwrap: 'bubblewrap',
  nft: 'nftables',
  ip: 'iproute2',
  perl: 'perl',
}

interface Installer {
  manager: string
  install: readonly string[]
  /** Fetches package lists, which may be missing or outdated, as in a fresh container. */
  update?: readonly string[]
  /** Packages with other names here. */
  names?: Readonly<Record<string, string>>
}

const INSTALLERS: readonly Installer[] = [
  {
    manager: 'apt-get',
    install: ['apt-get', 'install', '-y', '--no-install-recommends'],
    update: ['apt-get', 'update'],
  },
  {
    manager: 'dnf',
    install: ['dnf', 'install', '-y'],
    names: { ip: 'iproute', perl: 'perl-interpreter' },
  },
  { manager: 'pacman', install: ['pacman', '-S', '--noconfirm', '--needed'] },
  { manager: 'apk', install: ['apk', 'add'] },
  { manager: 'zypper', install: ['zypper', '--non-interactive', 'install'] },
]

/**
 * Ensures that commands can run in a sandbox, and that hosted sandboxes have DNS and TCP: installs
 * what is missing with the system's package manager if no password is needed. Otherwise changes
 * nothing; reports what it does, and returns the sandbox or why there is none.
 */
export const ensureSandbox = async (
  ports: InstallPorts = systemPorts(),
): Promise<Result<Sandbox>> => {
  const before = await ports.detect()
  if (ports.platform !== 'linux') return before
  const missing = Object.keys(PACKAGES).filter((command) => !ports.hasCommand(command))
  const isInstalled = missing.length > 0 && installMissing(missing, ports)
  if (before.ok) return before
  if (!missing.includes('bwrap')) {
    ports.say(before.error.message)
    return before
  }
  if (!isInstalled) return before
  const after = await ports.detect()
  ports.say(after.ok ? 'bubblewrap is installed and works' : after.error.message)
  return after
}

const installMissing = (missing: readonly string[], ports: InstallPorts): boolean => {
  const installer = INSTALLERS.find(({ manager }) => ports.hasCommand(manager))
  const packages = missing.map((command) => installer?.names?.[command] ?? PACKAGES[command] ?? '')
  const named = `${packages.join(', ')} ${packages.length > 1 ? 'are' : 'is'} missing`
  if (installer === undefined) {
    ports.say(`${named}, and so is a package manager to install with`)
    return false
  }
  const install = [...installer.install, ...packages]
  const prefix = privilegeOf(ports)
  if (prefix === undefined) {
    ports.say(`${named}; install with: sudo ${install.join(' ')}`)
    return false
  }
  ports.say(`${named}; installing with ${installer.manager}`)
  const succeeds = (command: readonly string[]) => ports.run([...prefix, ...command])
  if (succeeds(install)) return true
  const { update } = installer
  if (update !== undefined && succeeds(update) && succeeds(install)) return true
  ports.say(`installing failed; try it by hand: ${[...prefix, ...install].join(' ')}`)
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
