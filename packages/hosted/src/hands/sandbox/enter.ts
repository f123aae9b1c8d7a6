import { quoteAll } from '@steward/platform'
import type { SandboxLimits } from './limits/limits.ts'

export interface EnterOptions {
  limits: Pick<SandboxLimits, 'fileBytes' | 'openFiles' | 'processes' | 'memoryBytes'>
  /** Whether the count of processes can be the sandbox's own; see the platform's `countsProcessesApart`. */
  limitProcesses: boolean
  /** Without a control group for memory, each process is limited. */
  limitMemory: boolean
  companions: readonly (readonly string[])[]
}

const KIB = 1024

/**
 * In a spec's environment: the port on the sandbox's loopback that a companion is about to open.
 */
export const AWAITED_PORT = 'STEWARD_AWAITED_PORT'

/**
 * Otherwise the first command could run before the companion is ready; continues anyway after some
 * seconds.
 */
const AWAIT = `if [ -n "$${AWAITED_PORT}" ]; then
  for _ in {1..500}; do
    (exec 3<>"/dev/tcp/127.0.0.1/$${AWAITED_PORT}") 2>/dev/null && break
    sleep 0.01
  done
  unset ${AWAITED_PORT}
fi`

/**
 * The first program inside: sets process limits, merges both outputs in order, starts the
 * companions, and executes the program.
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
    // Node makes what it inherits non-blocking, which would cut the shell's own output.
    ...options.companions.map((companion) => `${quoteAll(companion)} </dev/null &>/dev/null &`),
    ...(options.companions.length === 0 ? [] : [AWAIT]),
    'exec "$@"',
  ]
  // A lower limit of the host stays in force and must not make entering fail.
  const text = script.map((line) => (line.startsWith('ulimit') ? `${line} || true` : line))
  return ['/bin/bash', '--noprofile', '--norc', '-c', text.join('\n'), 'enter', ...argv]
}
