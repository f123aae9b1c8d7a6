import { spawnSync } from 'node:child_process'

/** The commands by package manager, tried in turn until one succeeds. */
const INSTALLERS: ReadonlyArray<{ manager: string; attempts: (name: string) => string[][][] }> = [
  {
    manager: 'apt-get',
    // Package lists may be missing or outdated, as in a fresh container.
    attempts: (name) => [
      [['apt-get', 'install', '-y', '--no-install-recommends', name]],
      [
        ['apt-get', 'update'],
        ['apt-get', 'install', '-y', '--no-install-recommends', name],
      ],
    ],
  },
  { manager: 'dnf', attempts: (name) => [[['dnf', 'install', '-y', name]]] },
  { manager: 'pacman', attempts: (name) => [[['pacman', '-S', '--noconfirm', '--needed', name]]] },
  { manager: 'apk', attempts: (name) => [[['apk', 'add', name]]] },
  { manager: 'zypper', attempts: (name) => [[['zypper', '--non-interactive', 'install', name]]] },
]

export interface InstallPorts {
  platform: NodeJS.Platform
  isRoot: boolean
  hasCommand: (name: string) => boolean
  /** Runs a command to its end; returns whether it succeeded. */
  run: (argv: readonly string[]) => boolean
  say: (line: string) => void
}

/**
 * Installs a program for the tests if it is missing and no password is needed; returns whether it
 * is available. Never fails the caller: tests that need it report why they are skipped.
 */
export const ensureProgram = (name: string, ports: InstallPorts = systemPorts()): boolean => {
  const { platform, hasCommand, run, say } = ports
  if (hasCommand(name)) return true
  if (platform !== 'linux') return false
  const installer = INSTALLERS.find(({ manager }) => hasCommand(manager))
  const prefix = privilegeOf(ports)
  if (installer === undefined || prefix === undefined) {
    say(`${name} is missing and cannot be installed here without a password`)
    return false
  }
  say(`${name} is missing; installing it with ${installer.manager}`)
  const succeeds = (commands: string[][]) =>
    commands.every((command) => run([...prefix, ...command]))
  if (installer.attempts(name).some(succeeds) && hasCommand(name)) return true
  say(`installing ${name} failed; tests that need it are skipped`)
  return false
}

/** The prefix for a command that needs root; undefined if it would ask for a password. */
const privilegeOf = ({ isRoot, hasCommand, run }: InstallPorts): string[] | undefined => {
  if (isRoot) return []
  return hasCommand('sudo') && run(['sudo', '-n', 'true']) ? ['sudo', '-n'] : undefined
}

const systemPorts = (): InstallPorts => ({
  platform: process.platform,
  isRoot: process.getuid?.() === 0,
  hasCommand: (name) => spawnSync('which', [name], { stdio: 'ignore' }).status === 0,
  run: ([command = '', ...args]) =>
    spawnSync(command, args, {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0,
  say: (line) => console.error(line),
})
