import type { JsonObject, WorkState } from '@steward/contract'
import { believe } from './moments.ts'
import { isComplete, isFull, type Session, sessionsOf, withoutEntries } from './sessions.ts'
import type { Transition } from './transition.ts'

export interface ArchivedSession {
  slug: string
  entry: JsonObject
}

const HOUR_MS = 3_600_000
/** Dashboards show finished sessions for a day. */
const KEEP_MS = 24 * HOUR_MS
/** Work with a specification may be resumed after a weekend or a holiday. */
const KEEP_UNFINISHED_MS = 30 * 24 * HOUR_MS

/** Removes expired sessions. An entry without a readable time stays. */
export const pruneSessions = (state: WorkState, nowMs: number): Transition<ArchivedSession[]> => {
  const old = sessionsOf(state).filter((session) => isOver(session, nowMs))
  if (old.length === 0) return { state, outcome: [] }
  const slugs = new Set(old.map(({ slug }) => slug))
  return {
    state: withoutEntries(state, slugs),
    outcome: old.map(({ slug, raw }) => ({ slug, entry: raw })),
  }
}

const isOver = (session: Session, nowMs: number): boolean => {
  const { startedMs, updatedMs, toolActivityMs } = session.view
  const moments = [startedMs, updatedMs, toolActivityMs].filter((atMs) => atMs !== undefined)
  const believed = moments.flatMap((atMs) => believe(atMs, nowMs) ?? [])
  // With a time in the future the age is unknown.
  if (believed.length === 0 || believed.length < moments.length) return false
  const keepMs = isFull(session) && !isComplete(session) ? KEEP_UNFINISHED_MS : KEEP_MS
  return nowMs - Math.max(...believed) >= keepMs
}
