import { toStewardError } from '@steward/contract'
import type { Host } from './host.ts'
import type { HostPorts } from './host-options.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** Starts workerd. Its driver is large, and loaded here so that who starts none need not wait for it. */
export const startHost = async (
  directories: readonly WorkerDirectory[],
  ports: HostPorts,
): Promise<Host> => {
  const { startWorkerd } = await import('./start-workerd.ts')
  return startWorkerd(directories, ports)
}

/** workerd names the worker whose module threw while it was loaded. */
const BROKEN_WORKER = /core:user:([a-z0-9-]+)/

/**
 * Starts workerd with as many workers as will load. One that does not is replaced by what ran before
 * under its name, or left out; either way it is said, and the others run.
 */
export const startBest = async (
  directories: readonly WorkerDirectory[],
  before: readonly WorkerDirectory[],
  ports: HostPorts,
): Promise<Host> => {
  try {
    return await startHost(directories, ports)
  } catch (thrown) {
    const { message } = toStewardError(thrown)
    const broken = BROKEN_WORKER.exec(message)?.[1]
    const failing = directories.find(({ worker }) => worker === broken)
    if (failing === undefined) throw thrown
    const former = before.find(({ worker, code }) => worker === broken && code !== failing.code)
    const fate = former === undefined ? 'it is left out' : 'what ran before it goes on'
    ports.warn(`${failing.name} cannot be loaded, ${fate}: ${firstLines(message)}`)
    const rest = directories.flatMap((each) =>
      each === failing ? (former === undefined ? [] : [former]) : [each],
    )
    return startBest(rest, before, ports)
  }
}

const SHOWN_LINES = 4

/** The worker's own words come before workerd's addresses of machine code. */
const firstLines = (message: string): string =>
  message
    .split('\n')
    .filter((line) => line.includes('core:user:') || line.trim().startsWith('at '))
    .slice(0, SHOWN_LINES)
    .join('\n')
