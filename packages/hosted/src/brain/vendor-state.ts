import type { HostedDatabase } from '../database/hosted-database.ts'
import { LONGEST_WAKE_MS } from '../log/lease.ts'
import { findModelWait, noteModelWait } from '../log/model-waits.ts'
import type { Model } from './models/model.ts'
import type { ModelFailure } from './models/model-failure.ts'

/** What is known about the vendor of the models: waiting times by all processes, the rest by this one. */
export interface VendorState {
  noteAnswer: () => void
  noteFailure: (model: string, failure: ModelFailure) => Promise<void>
  /**
   * When a model may be asked again, as the vendor told any session of any process with the same
   * account; `null` for now.
   */
  closedUntilMs: (model: string) => Promise<number | null>
  /** When the vendor last answered any session of this process; `null` before the first answer. */
  answeredMs: () => number | null
}

export interface VendorStatePorts {
  database: HostedDatabase
  model: Pick<Model, 'account'>
  now: () => number
}

/** `onBack` is called with the first answer after a failure. */
export const createVendorState = (
  { database, model: { account }, now }: VendorStatePorts,
  onBack: () => void,
): VendorState => {
  let answeredMs: number | null = null
  let hasFailed = false
  return {
    noteAnswer: () => {
      answeredMs = now()
      if (!hasFailed) return
      hasFailed = false
      onBack()
    },
    noteFailure: async (model, { kind, retryAfterMs }) => {
      hasFailed ||= kind === 'failed' || kind === 'overloaded' || kind === 'rate_limited'
      if (retryAfterMs === undefined) return
      const nowMs = now()
      const untilMs = nowMs + Math.min(retryAfterMs, LONGEST_WAKE_MS)
      await database.write(() => noteModelWait({ account, model }, untilMs, nowMs))
    },
    closedUntilMs: (model) => database.read(() => findModelWait({ account, model }, now())),
    answeredMs: () => answeredMs,
  }
}
