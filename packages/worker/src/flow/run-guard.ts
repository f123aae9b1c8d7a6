import { isPending, StewardError } from '@steward/contract'
import type { Invocation } from './invocation.ts'

/** The maximum lifetime of an invocation: an older one was killed silently. */
const LIFETIME_MS = 15 * 60_000

/**
 * One run of a flow at a time within an isolate: two would fetch and pay for the same items twice.
 * KV could not guarantee more, because its reads may be a minute old; destinations deduplicate
 * items.
 */
export const createRunGuard = (flow: string) => {
  let running: { runId: string; startedAt: number } | undefined
  return {
    /** Throws `run_active` during a run. */
    check: ({ ports }: Invocation): void => {
      if (running === undefined) return
      if (!isPending(running.startedAt + LIFETIME_MS, ports.now(), LIFETIME_MS)) return
      const reason = `run ${running.runId} is under way`
      throw new StewardError('run_active', { subject: flow, reason })
    },
    hold: async <T>({ runId, ports }: Invocation, work: Promise<T>): Promise<T> => {
      const mine = { runId, startedAt: ports.now() }
      running = mine
      try {
        return await work
      } finally {
        if (running === mine) running = undefined
      }
    },
  }
}
