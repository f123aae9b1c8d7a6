import type { SandboxLimits } from './limits/limits.ts'
import { quoteAll } from './quote.ts'

export interface EnterOptions {
  limits: Pick<SandboxLimits, 'fileBytes' | 'openFiles' | 'processes' | 'memoryBytes'>
  /** Whether the count of processes can be the sandbox's own; see `countsProcessesApart`. */
  limitProcesses: boolean
  /** Where no control group limits memory, each process is limited. */
  limitMemory: boolean
  companions: readonly (readonly string[])[]
}

const KIB = 1024

/**
 * What runs first inside: it takes on the limits of processes, merges both outputs in the order they
 * are written, starts the companions, and becomes the program.
 */
export const describeEntrance = (argv: readonly string[], options: EnterOptions): string[] => {
  const { limits } = options
  const script = [
    'exec 2>&1',
    'ulimit -c 0',
    `ulimit -n ${limits.openFiles}`,
    `ulimit -f ${Math.floor(limits.fileBytes / KIB)}`,
    ...(options.limitProcesses ? [`ulimit -u ${limits.processes}`] : []),
    ...(options.limitMemory ? [`ulimit -d ${Math.floor(limits.memoryBytes / KIB)}`] : []),
    ...options.companions.map((companion) => `${quoteAll(companion)} </dev/null >/dev/null &`),
    'exec "$@"',
  ]
  // A limit that is already lower on the host stays; entering must not fail for it.
  const text = script.map((line) => (line.startsWith('ulimit') ? `${line} || true` : line))
  return ['/bin/bash', '--noprofile', '--norc', '-c', text.join('\n'), 'enter', ...argv]
}

/** From Linux 5.14 on, processes are counted for each user namespace; before, for the whole machine. */
export const countsProcessesApart = (kernel: string): boolean => {
  const [major = 0, minor = 0] = kernel.split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}
