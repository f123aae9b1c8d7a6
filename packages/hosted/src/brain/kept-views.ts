import type { Lease } from '../log/lease.ts'
import type { LogView } from './log-view.ts'

/**
 * What this brain knew of sessions when it put them down, so that the next wake reads only what is
 * new: a session that asks its client every few seconds would otherwise read its whole log each time.
 */
export interface KeptViews {
  /** The session's view, when nobody else has had the lease since. It is the taker's alone. */
  take(lease: Lease): LogView | undefined
  keep(lease: Lease, view: LogView): void
}

/** Keeps so many, those put down last. */
export const createKeptViews = (most: number): KeptViews => {
  const kept = new Map<string, { epoch: number; view: LogView }>()
  return {
    take: ({ sessionId, epoch }) => {
      const found = kept.get(sessionId)
      kept.delete(sessionId)
      // Every claim counts the epoch up by one.
      return found?.epoch === epoch - 1 ? found.view : undefined
    },
    keep: ({ sessionId, epoch }, view) => {
      kept.delete(sessionId)
      kept.set(sessionId, { epoch, view })
      for (const oldest of kept.keys()) {
        if (kept.size <= most) return
        kept.delete(oldest)
      }
    },
  }
}
