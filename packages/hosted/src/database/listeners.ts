import type { Announcement } from './tx.ts'

type Listener = (announcement: Announcement) => void

/** Subscribers to announcements. A subscriber to one session is not called for the others. */
export interface Listeners {
  add(listener: Listener, sessionId?: string): () => void
  tell(announcement: Announcement): void
}

export const createListeners = (): Listeners => {
  const ofAll = new Set<Listener>()
  const ofOne = new Map<string, Set<Listener>>()
  return {
    add: (listener, sessionId) => {
      if (sessionId === undefined) {
        ofAll.add(listener)
        return () => ofAll.delete(listener)
      }
      const known = ofOne.get(sessionId) ?? new Set()
      known.add(listener)
      ofOne.set(sessionId, known)
      return () => {
        known.delete(listener)
        if (known.size === 0 && ofOne.get(sessionId) === known) ofOne.delete(sessionId)
      }
    },
    tell: (announcement) => {
      for (const listener of ofAll) listener(announcement)
      for (const listener of ofOne.get(announcement.sessionId) ?? []) listener(announcement)
    },
  }
}
