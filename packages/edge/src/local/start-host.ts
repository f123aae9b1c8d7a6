import { toStewardError } from '@steward/contract'
import type { Host } from './host.ts'
import type { HostPorts } from './host-options.ts'
import type { StartOptions } from './start-workerd.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** Starts workerd. Its large driver is imported on demand, to keep other commands fast. */
export const startHost = async (
  directories: readonly WorkerDirectory[],
  ports: HostPorts,
  options?: StartOptions,
): Promise<Host> => {
  const { startWorkerd } = await import('./start-workerd.ts')
  return startWorkerd(directories, ports, options)
}

/** workerd names the worker whose module threw while it was loaded. */
const BROKEN_WORKER = /core:user:([a-z0-9-]+)/

/**
 * Starts workerd with as many workers as will load. A worker that does not load is replaced by its
 * previous version or left out, with a warning.
 */
export const startBest = async (
  directories: readonly WorkerDirectory[],
  before: readonly WorkerDirectory[],
  ports: HostPorts,
  options?: StartOptions,
): Promise<Host> => {
  try {
    return await startHost(directories, ports, options)
  } catch (thrown) {
    const { message } = toStewardError(thrown)
    const broken = BROKEN_WORKER.exec(message)?.[1]
    const failing = directories.find(({ worker }) => worker === broken)
    if (failing === undefined) throw thrown
    const former = before.find(({ worker, code }) => worker === broken && code !== failing.code)
    const fate = former === undefined ? 'it is left out' : 'the previous version keeps running'
    ports.warn(`${failing.name} cannot be loaded, ${fate}: ${firstLines(message)}`)
    const rest = directories.flatMap((each) =>
      each === failing ? (former === undefined ? [] : [former]) : [each],
    )
    return startBest(rest, before, ports, options)
  }
}

const SHOWN_LINES = 4

/** The worker's own message comes before workerd's addresses of machine code. */
export const firstLines = (message: string): string =>
  message
    .split('\n')
    .filter((line) => line.includes('core:user:') || line.trim().startsWith('at '))
    .slice(0, SHOWN_LINES)
    .join('\n')
