import type { Lease } from '../log/lease.ts'
import type { LogView } from './log-view.ts'

/**
 * Keeps the state of sessions that were released, so that the next wake reads only new events: a
 * session that asks its client every few seconds would otherwise read its whole log each time.
 */
export interface KeptViews {
  /** The session's view, unless another process held the lease since. The caller owns it. */
  take(lease: Lease): LogView | undefined
  keep(lease: Lease, view: LogView): void
}

/** Keeps the most recently released views, up to a limit. */
export const createKeptViews = (most: number): KeptViews => {
  const kept = new Map<string, { epoch: number; view: LogView }>()
  return {
    take: ({ sessionId, epoch }) => {
      const found = kept.get(sessionId)
      kept.delete(sessionId)
      // Every claim increments the epoch by one.
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
