import { StewardError } from '@steward/contract'
import type { Invocation } from './invocation.ts'

/** The longest an invocation lives: one that is older was ended without a word. */
const LIFETIME_MS = 15 * 60_000

/**
 * One run of a flow at a time, as far as one isolate can see: two would fetch and pay for the same items
 * twice. KV could not promise more, since it answers with what was true a minute ago; destinations know
 * an item that comes again.
 */
export const createRunGuard = (flow: string) => {
  let running: { runId: string; startedAt: number } | undefined
  return {
    /** Throws `run_active` while a run is under way. */
    check: ({ ports }: Invocation): void => {
      if (running === undefined || ports.now() - running.startedAt > LIFETIME_MS) return
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
