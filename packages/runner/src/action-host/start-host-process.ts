import { LIMITS } from '@steward/contract'
import { type StartedProcess, startInBubblewrap, startWithLimits } from '@steward/platform'
import { HOST_PROGRAM } from './host-program.ts'
import { readablePaths } from './readable-paths.ts'

const MEBIBYTE = 1024 ** 2

export interface HostedAction {
  name: string
  /** The module that exports `execute`. */
  file: string
  /** Whether it opens connections itself. */
  network: boolean
}

/**
 * Starts the host program with Node's permission model, which denies files, child processes, workers
 * and addons; in bubblewrap, if there is one, which also denies the network.
 */
export const startHostProcess = (
  { file, network }: HostedAction,
  { bwrap, inspected }: { bwrap: string | undefined; inspected: boolean },
): StartedProcess => {
  const readOnlyPaths = readablePaths(file)
  const argv = [
    process.execPath,
    '--permission',
    ...readOnlyPaths.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${LIMITS.actionHeapBytes / MEBIBYTE}`,
    '--disable-warning=ExperimentalWarning',
    ...(inspected ? ['--allow-inspector', '--inspect-wait=127.0.0.1:0'] : []),
    HOST_PROGRAM,
  ] as const satisfies [string, ...string[]]
  const memoryBytes = LIMITS.actionMemoryBytes
  if (bwrap === undefined) return startWithLimits(argv, memoryBytes)
  // A debugger outside reaches it through the network of this machine.
  const sharesNetwork = network || inspected
  return startInBubblewrap(bwrap, argv, { readOnlyPaths, network: sharesNetwork, memoryBytes })
}
