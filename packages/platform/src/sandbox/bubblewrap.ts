import { lstatSync, readlinkSync } from 'node:fs'
import { homedir, release } from 'node:os'
import { LIMITS, StewardError } from '@steward/contract'
import type { StartTimer } from '../processes/start-timer.ts'
import { pathsOfExecutable } from './executable-paths.ts'
import { DEFAULT_PATH, findCommand } from './find-command.ts'
import { type ProcessOutcome, runProcess } from './run-process.ts'
import type { Sandbox, SandboxRun } from './sandbox.ts'

export interface BubblewrapOptions {
  /** The absolute path of `bwrap`. */
  bwrap: string
  /** The search path for commands and their interpreters. */
  path?: string
  home?: string
  /** Versions before 0.7 cannot limit the size of /tmp. */
  canSizeTmp?: boolean
  /** Determines whether the number of processes can be limited. */
  kernel?: string
  startTimer?: StartTimer
}

const ROOT_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
/**
 * Files in /etc that programs need to resolve names, check certificates and find libraries; no
 * secrets.
 */
const ETC = [
  'alternatives ca-certificates ca-certificates.conf crypto-policies fonts gai.conf group host.conf',
  'hosts ld.so.cache ld.so.conf ld.so.conf.d localtime mime.types nsswitch.conf passwd pki',
  'protocols resolv.conf services ssl timezone',
].flatMap((names) => names.split(' '))
const TMP_BYTES = 1024 ** 3

/**
 * Linux namespaces: no network by default, a read-only system, a fresh /tmp, one writable folder,
 * and nothing of the home except the command itself.
 */
export const createBubblewrap = ({
  bwrap,
  path = DEFAULT_PATH,
  home = homedir(),
  canSizeTmp = true,
  kernel = release(),
  startTimer,
}: BubblewrapOptions): Sandbox => {
  const prlimit = findCommand('prlimit', DEFAULT_PATH)
  const limits = prlimit.ok ? [prlimit.value, ...resourceLimits(kernel), '--'] : []

  return {
    isolation: 'bubblewrap',
    run: async (argv, options) => {
      const [command = ''] = argv
      const visible = [...pathsOfExecutable(command, path, home), ...(options.readOnlyPaths ?? [])]
      const args = [...describeSandbox(options, visible, canSizeTmp), '--', ...limits, ...argv]
      const { status, ...outcome } = await runProcess(bwrap, args, {
        ...options,
        env: { ...options.env, HOME: options.cwd, TMPDIR: '/tmp' },
        startTimer,
        withStatus: true,
      })
      checkSetUp({ status, ...outcome })
      return outcome
    },
  }
}

const describeSandbox = (
  options: SandboxRun,
  visible: readonly string[],
  canSizeTmp: boolean,
): string[] => [
  '--unshare-all',
  '--unshare-user',
  ...(options.network ? ['--share-net'] : []),
  '--die-with-parent',
  '--new-session',
  ...['--cap-drop', 'ALL'],
  ...['--hostname', 'sandbox'],
  ...['--json-status-fd', '3'],
  ...ROOT_FOLDERS.flatMap(showRootFolder),
  ...ETC.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
  ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/dev/shm'],
  ...(canSizeTmp ? ['--size', String(TMP_BYTES)] : []),
  ...['--tmpfs', '/tmp'],
  // Shorter paths first, because a mount on a folder would hide mounts inside it.
  ...visible
    .filter((path) => !ROOT_FOLDERS.some((root) => path === root || path.startsWith(`${root}/`)))
    .toSorted((a, b) => a.length - b.length)
    .flatMap((path) => ['--ro-bind', path, path]),
  ...['--bind', options.cwd, options.cwd],
  ...['--remount-ro', '/', '--remount-ro', '/dev'],
  ...['--chdir', options.cwd],
]

/** On most systems /bin and /lib are links into /usr, and must be links inside too. */
const showRootFolder = (path: string): string[] => {
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (info === undefined) return []
  return info.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/**
 * Set inside the sandbox. From Linux 5.14 on the process limit then counts only the sandbox;
 * before, it would count all processes of the person, so no limit is set.
 */
const resourceLimits = (kernel: string): string[] => {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  const countsApart = major > 5 || (major === 5 && minor >= 14)
  return [
    '--core=0',
    `--data=${LIMITS.shellMemoryBytes}`,
    `--fsize=${LIMITS.shellFileBytes}`,
    `--nofile=${LIMITS.shellOpenFiles}`,
    ...(countsApart ? [`--nproc=${LIMITS.shellProcesses}`] : []),
  ]
}

/**
 * Without an exit code in its report, bubblewrap failed before the command started and explains
 * why.
 */
const checkSetUp = ({ status, stderr, timedOut, code }: ProcessOutcome): void => {
  if (timedOut || code > 128 || status.includes('"exit-code"')) return
  throw new StewardError('sandbox_unavailable', {
    reason: stderr.trim() || `bubblewrap ended with code ${code}`,
  })
}
