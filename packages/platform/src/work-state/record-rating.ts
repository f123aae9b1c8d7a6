import type { SessionRating, WorkState } from '@steward/contract'
import { rowsOf } from './rows.ts'
import { newestOf, ofSession, PULSE_STRIP, rawEntryOf, withEntry } from './sessions.ts'
import type { Transition } from './transition.ts'

export interface Rating {
  sessionUUID: string
  /** 1 to 10. */
  value: number
  message?: string
}

const MESSAGE_CHARS = 32
/** Dashboards draw a strip of recent ratings; the history is in the ratings log. */
const STRIP_RATINGS = 100

/** Stores a person's rating with its session and in the strip. */
export const recordRating = (
  state: WorkState,
  { sessionUUID, value, message }: Rating,
  nowMs: number,
): Transition<{ slug?: string }> => {
  const rating: SessionRating = {
    value,
    timestamp: nowMs,
    ...(message === undefined ? {} : { message: [...message].slice(0, MESSAGE_CHARS).join('') }),
  }
  const session = newestOf(ofSession(state, sessionUUID))
  const strip = rawEntryOf(state, PULSE_STRIP) ?? {}
  const rows = [...(rowsOf(strip, 'ratings') ?? []), rating].slice(-STRIP_RATINGS)
  const withStrip = withEntry(state, PULSE_STRIP, { ...strip, ratings: rows })
  const ratings = session === undefined ? undefined : rowsOf(session.raw, 'ratings')
  if (session === undefined || ratings === undefined) return { state: withStrip, outcome: {} }
  const next = withEntry(withStrip, session.slug, { ...session.raw, ratings: [...ratings, rating] })
  return { state: next, outcome: { slug: session.slug } }
}
