import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import type { StartTimer } from '../processes/start-timer.ts'
import { pathsOfExecutable } from './executable-paths.ts'
import { DEFAULT_PATH } from './find-command.ts'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'

export const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

export interface SandboxExecOptions {
  path?: string
  home?: string
  startTimer?: StartTimer
}

/** The macOS sandbox: everything is denied except what the profile allows. */
export const createSandboxExec = ({
  path = DEFAULT_PATH,
  home = homedir(),
  startTimer,
}: SandboxExecOptions = {}): Sandbox => ({
  isolation: 'sandbox-exec',
  run: async (argv, options) => {
    // /tmp and /var are links on macOS, and rules match the resolved path.
    const cwd = realpathSync(options.cwd)
    const [command = ''] = argv
    const readable = [...pathsOfExecutable(command, path, home), ...(options.readOnlyPaths ?? [])]
    const profile = describeProfile({ workDir: cwd, readable, network: options.network })
    const { status: _, ...outcome } = await runProcess(SANDBOX_EXEC, ['-p', profile, ...argv], {
      ...options,
      cwd,
      env: { ...options.env, HOME: cwd, TMPDIR: cwd },
      startTimer,
    })
    return outcome
  },
})

const SYSTEM_FOLDERS = [
  '/bin',
  '/sbin',
  '/usr',
  '/System',
  '/Library/Apple',
  '/Library/Developer/CommandLineTools',
  '/Library/Frameworks',
  '/opt/homebrew',
  '/opt/local',
  '/private/etc/ssl',
  '/private/var/db/dyld',
  '/private/var/db/timezone',
]
const SYSTEM_FILES = [
  '/private/etc/hosts',
  '/private/etc/localtime',
  '/private/etc/passwd',
  '/private/etc/protocols',
  '/private/etc/resolv.conf',
  '/private/etc/services',
]
const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/tty']

/**
 * The profile in the system's language. The later rule wins there; nothing is denied after an
 * allow.
 */
export const describeProfile = ({
  workDir,
  readable,
  network,
}: {
  workDir: string
  readable: readonly string[]
  network: boolean
}): string =>
  [
    '(version 1)',
    '(deny default)',
    '(import "system.sb")',
    '(allow process-fork process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow file-read-metadata)',
    `(allow file-read* (literal "/") ${[...SYSTEM_FOLDERS, ...readable].map(subpath).join(' ')})`,
    `(allow file-read* ${[...SYSTEM_FILES, ...DEVICES].map(literal).join(' ')})`,
    `(allow file-write-data ${DEVICES.map(literal).join(' ')})`,
    `(allow file-read* file-write* ${subpath(workDir)})`,
    ...(network ? NETWORK_RULES : []),
  ].join('\n')

const NETWORK_RULES = [
  '(allow network-outbound network-inbound system-socket)',
  '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
  '(allow mach-lookup (global-name "com.apple.trustd.agent") (global-name "com.apple.SystemConfiguration.configd"))',
]

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const subpath = (path: string): string => `(subpath ${quote(path)})`
const literal = (path: string): string => `(literal ${quote(path)})`
