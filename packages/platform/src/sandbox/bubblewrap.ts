import { homedir, release } from 'node:os'
import { LIMITS, StewardError } from '@steward/contract'
import type { StartTimer } from '../processes/start-timer.ts'
import {
  type BubblewrapFeatures,
  type BubblewrapProfile,
  describeBubblewrap,
  outerFirst,
  ROOT_FOLDERS,
} from './bubblewrap-arguments.ts'
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
  features?: BubblewrapFeatures
  /** Decides whether the count of processes can be limited. */
  kernel?: string
  startTimer?: StartTimer
}

const TMP_BYTES = 1024 ** 3

/**
 * Linux namespaces: no network by default, a read-only system, a fresh /tmp, one writable folder,
 * and nothing of the home except the command itself.
 */
export const createBubblewrap = ({
  bwrap,
  path = DEFAULT_PATH,
  home = homedir(),
  features = { size: true, disableUserns: true },
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
      const profile = describeBubblewrap(describeProfile(options, visible), features)
      const args = [...profile, '--', ...limits, ...argv]
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

/** Names, users and groups are those of the machine. */
const ETC = ['group', 'passwd', 'resolv.conf']

const describeProfile = (options: SandboxRun, visible: readonly string[]): BubblewrapProfile => ({
  network: options.network,
  etc: ETC,
  mounts: [
    { type: 'memory', inside: '/dev/shm' },
    { type: 'memory', inside: '/tmp', bytes: TMP_BYTES },
    ...outerFirst(
      visible
        .filter(
          (path) => !ROOT_FOLDERS.some((root) => path === root || path.startsWith(`${root}/`)),
        )
        .map((path) => ({ type: 'ro' as const, host: path, inside: path })),
    ),
    { type: 'rw', host: options.cwd, inside: options.cwd },
  ],
  cwd: options.cwd,
})

/** Set inside of the sandbox. */
const resourceLimits = (kernel: string): string[] => [
  '--core=0',
  `--data=${LIMITS.shellMemoryBytes}`,
  `--fsize=${LIMITS.shellFileBytes}`,
  `--nofile=${LIMITS.shellOpenFiles}`,
  ...(countsProcessesApart(kernel) ? [`--nproc=${LIMITS.shellProcesses}`] : []),
]

/**
 * From Linux 5.14 on, processes are counted for each user namespace; before, all of the person's count,
 * and any limit could hit them.
 */
export const countsProcessesApart = (kernel = release()): boolean => {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
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
