import { fail, ok, reasonOf, StewardError, toStewardError } from '@steward/contract'
import type { HostPorts } from './host-options.ts'
import type { SandboxRunner } from './sandbox-worker.ts'
import { firstLines, startBest, startHost } from './start-host.ts'
import { isSameDirectory, type WorkerDirectory } from './worker-directory.ts'

/** A start takes half a second, and a few seconds on a busy machine. */
const LOAD_MS = 15_000

/**
 * Runs one worker in a workerd of its own: workerd runs all its workers in one thread, and an endless
 * loop in one would freeze the others. Costs 55 MB while it runs.
 */
export const createWorkerdRunner = (
  directory: WorkerDirectory,
  ports: HostPorts,
): SandboxRunner => ({
  start: async () => {
    const ended = Promise.withResolvers<string>()
    const watching: HostPorts = {
      ...ports,
      onLost: (error) => {
        ports.onLost(error)
        ended.resolve(error.message)
      },
    }
    try {
      const host = await startHost([directory], watching, {
        runsHere: () => true,
        startMs: ports.loadMs ?? LOAD_MS,
      })
      let stopped: Promise<void> | undefined
      const stop = () => (stopped ??= host.dispose())
      // A restarted workerd has the same address and may be working already; only a lost one ends.
      void ended.promise.then(stop)
      const { hostname, port } = await host.addressOf(directory.worker)
      return ok({
        host: hostname,
        port: Number(port),
        ended: ended.promise,
        stop,
      })
    } catch (thrown) {
      const { message } = toStewardError(thrown)
      const reason = `it cannot be loaded: ${firstLines(message) || message}`
      return fail(new StewardError('action_failed', { action: directory.name, reason }, thrown))
    }
  },
})

/**
 * Loads the user's changed workers once, together, and replaces those that do not load by their previous
 * version, as the shared workerd does. Otherwise the mistake would only show at the first request.
 */
export const keepLoadable = async (
  workers: readonly WorkerDirectory[],
  before: readonly WorkerDirectory[],
  ports: HostPorts,
): Promise<WorkerDirectory[]> => {
  const own = workers.filter(
    (worker) =>
      worker.tier === 'isolate' &&
      worker.apart &&
      !before.some((former) => isSameDirectory(former, worker)),
  )
  if (own.length === 0) return [...workers]
  try {
    const probe = await startBest(own, before, ports, {
      runsHere: () => true,
      startMs: ports.loadMs ?? LOAD_MS,
    })
    await probe.dispose()
    return workers.flatMap((worker) =>
      own.includes(worker)
        ? probe.directories.filter((each) => each.worker === worker.worker)
        : [worker],
    )
  } catch (thrown) {
    ports.warn(`the changed actions could not be checked: ${reasonOf(thrown)}`)
    return [...workers]
  }
}
