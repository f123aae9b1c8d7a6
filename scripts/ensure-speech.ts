/**
 * Installs espeak-ng where it is missing and may be installed without a password, so that the tests
 * hear a real voice. Never fails the caller: tests that need it say that they are skipped, and why.
 */
import { spawnSync } from 'node:child_process'

/** By package manager: what to run, each in turn until one succeeds. */
const INSTALLERS: ReadonlyArray<{ manager: string; attempts: string[][][] }> = [
  {
    manager: 'apt-get',
    // Package lists may be missing or old, as in a fresh container.
    attempts: [
      [['apt-get', 'install', '-y', '--no-install-recommends', 'espeak-ng']],
      [
        ['apt-get', 'update'],
        ['apt-get', 'install', '-y', '--no-install-recommends', 'espeak-ng'],
      ],
    ],
  },
  { manager: 'dnf', attempts: [[['dnf', 'install', '-y', 'espeak-ng']]] },
  { manager: 'pacman', attempts: [[['pacman', '-S', '--noconfirm', '--needed', 'espeak-ng']]] },
  { manager: 'apk', attempts: [[['apk', 'add', 'espeak-ng']]] },
  { manager: 'zypper', attempts: [[['zypper', '--non-interactive', 'install', 'espeak-ng']]] },
]

export interface SpeechInstallPorts {
  platform: NodeJS.Platform
  isRoot: boolean
  hasCommand: (name: string) => boolean
  /** Runs a command to its end; whether it succeeded. */
  run: (argv: readonly string[]) => boolean
  say: (line: string) => void
}

/** Whether espeak-ng is there in the end. */
export const ensureSpeech = (ports: SpeechInstallPorts = systemPorts()): boolean => {
  const { platform, hasCommand, run, say } = ports
  if (hasCommand('espeak-ng')) return true
  if (platform !== 'linux') return false
  const installer = INSTALLERS.find(({ manager }) => hasCommand(manager))
  const prefix = privilegeOf(ports)
  if (installer === undefined || prefix === undefined) {
    say('espeak-ng is missing and cannot be installed here without a password')
    return false
  }
  say(`espeak-ng is missing; installing it with ${installer.manager}`)
  const succeeds = (commands: string[][]) =>
    commands.every((command) => run([...prefix, ...command]))
  if (installer.attempts.some(succeeds) && hasCommand('espeak-ng')) return true
  say('installing espeak-ng failed; tests that listen to it are skipped')
  return false
}

/** What to put in front of a command that needs root; nothing when that would ask for a password. */
const privilegeOf = ({ isRoot, hasCommand, run }: SpeechInstallPorts): string[] | undefined => {
  if (isRoot) return []
  return hasCommand('sudo') && run(['sudo', '-n', 'true']) ? ['sudo', '-n'] : undefined
}

const systemPorts = (): SpeechInstallPorts => ({
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

if (import.meta.main) ensureSpeech()
