import { LONGEST_WAKE_MS } from '../log/lease.ts'
import type { ModelFailure } from './models/model-failure.ts'

/** What the sessions of this process know together about the vendor of their models. */
export interface VendorState {
  noteAnswer: () => void
  noteFailure: (model: string, failure: ModelFailure) => void
  /** When a model may be asked again, as the vendor told any session; `null` for now. */
  closedUntilMs: (model: string) => number | null
  /** When the vendor last answered any session; `null` before the first answer. */
  answeredMs: () => number | null
}

/** `onBack` is called with the first answer after a failure. */
export const createVendorState = (now: () => number, onBack: () => void): VendorState => {
  const closed = new Map<string, number>()
  let answeredMs: number | null = null
  let hasFailed = false
  return {
    noteAnswer: () => {
      answeredMs = now()
      if (!hasFailed) return
      hasFailed = false
      onBack()
    },
    noteFailure: (model, { kind, retryAfterMs }) => {
      hasFailed ||= kind === 'failed' || kind === 'overloaded' || kind === 'rate_limited'
      if (retryAfterMs === undefined) return
      const untilMs = now() + Math.min(retryAfterMs, LONGEST_WAKE_MS)
      closed.set(model, Math.max(untilMs, closed.get(model) ?? 0))
    },
    closedUntilMs: (model) => {
      const untilMs = closed.get(model)
      // A moment further ahead than any wait was noted before the clock was set back.
      const isOver = untilMs === undefined || untilMs <= now() || untilMs > now() + LONGEST_WAKE_MS
      if (isOver) closed.delete(model)
      return isOver ? null : untilMs
    },
    answeredMs: () => answeredMs,
  }
}
