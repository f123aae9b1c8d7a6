import { StewardError, toStewardError } from '@steward/contract'
import { startSystemTimer } from '@steward/platform'
import { Miniflare } from 'miniflare'
import { z } from 'zod'
import type { Host } from './host.ts'
import { describeHost, type HostPorts } from './host-options.ts'
import { queueOutcome } from './settle-batch.ts'
import type { WorkerDirectory } from './worker-directory.ts'

const scheduledOutcome = z.object({ outcome: z.string() })

export interface StartOptions {
  /** Which of the workers run in this process; without it, those of the shared one. */
  runsHere?: (directory: WorkerDirectory) => boolean
  /** The longest duration of the start: a module may loop while it is loaded. */
  startMs?: number
}

/** Starts workerd; a worker that throws while loading fails the start with its own message. */
export const startWorkerd = async (
  directories: readonly WorkerDirectory[],
  ports: HostPorts,
  { runsHere, startMs }: StartOptions = {},
): Promise<Host> => {
  const miniflare = keepSignals(() => new Miniflare(describeHost(directories, ports, runsHere)))
  try {
    await (startMs === undefined ? miniflare.ready : within(startMs, miniflare.ready))
  } catch (thrown) {
    await miniflare.dispose()
    throw toStewardError(thrown, 'action_failed', { action: 'workerd' })
  }
  return {
    directories,
    addressOf: (worker) => miniflare.unsafeGetDirectURL(worker),
    runScheduled: async (worker, cron, scheduledTimeMs) => {
      const target = await invocable(miniflare, worker)
      const answer = await target.scheduled({ cron, scheduledTime: new Date(scheduledTimeMs) })
      return scheduledOutcome.parse(answer).outcome
    },
    deliverBatch: async (worker, queue, messages) => {
      const target = await invocable(miniflare, worker)
      const answer = await target.queue(
        queue,
        messages.map(({ id, body, sentAtMs, attempts }) => ({
          id,
          body,
          attempts,
          timestamp: new Date(sentAtMs),
        })),
      )
      return queueOutcome.parse(answer)
    },
    dispose: () => miniflare.dispose(),
  }
}

const within = async (limitMs: number, ready: Promise<unknown>): Promise<void> => {
  const late = Promise.withResolvers<never>()
  const cancel = startSystemTimer(limitMs, () =>
    late.reject(new Error(`it did not end within ${limitMs} ms`)),
  )
  try {
    await Promise.race([ready, late.promise])
  } finally {
    cancel()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Miniflare exits the whole process at a signal; here the caller decides, and drains first. */
const keepSignals = <T>(make: () => T): T => {
  const before = SIGNALS.map((signal) => process.listeners(signal))
  const made = make()
  for (const [index, signal] of SIGNALS.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[index]?.includes(listener)) process.removeListener(signal, listener)
    }
  }
  return made
}

/** The handlers of a worker that requests cannot reach. */
interface Invocable {
  scheduled(event: { cron: string; scheduledTime: Date }): Promise<unknown>
  queue(name: string, messages: readonly object[]): Promise<unknown>
}

const invocable = async (miniflare: Miniflare, worker: string): Promise<Invocable> => {
  const target: unknown = await miniflare.getWorker(worker)
  if (isInvocable(target)) return target
  throw new StewardError('worker_not_found', { worker })
}

const isInvocable = (target: unknown): target is Invocable =>
  typeof target === 'object' &&
  target !== null &&
  typeof Reflect.get(target, 'scheduled') === 'function' &&
  typeof Reflect.get(target, 'queue') === 'function'
