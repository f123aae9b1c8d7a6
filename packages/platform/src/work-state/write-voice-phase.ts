import { LIMITS, type Phase, type PhaseOutcome, type WorkState } from '@steward/contract'
import { activityOf } from './activity.ts'
import { appendPhase } from './append-phase.ts'
import { foldLeftOver } from './fold-left-over.ts'
import { believe } from './moments.ts'
import {
  findBySlug,
  isComplete,
  newestOf,
  ofSession,
  type Session,
  sessionsOf,
  withEntry,
} from './sessions.ts'
import type { Transition } from './transition.ts'

export interface VoicePhase {
  phase: Phase
  slug?: string
  /** The host's session, for callers that do not know the slug. */
  sessionUUID?: string
}

/**
 * Writes an announced phase to its session; the outcome names the session, or why there is none.
 */
export const writeVoicePhase = (
  state: WorkState,
  voice: VoicePhase,
  nowMs: number,
): Transition<PhaseOutcome> => {
  const session = routePhase(state, voice, nowMs)
  if (session === undefined) {
    // An unknown slug or session must not change another session's phase.
    const reason = voice.slug === undefined ? 'no_active_session' : 'unknown_slug'
    return { state, outcome: { written: false, reason } }
  }
  const uuid = session.view.sessionUUID
  const folded = uuid === undefined ? state : foldLeftOver(state, uuid)
  // Its slug may have been that of a light session, which the full one has taken over.
  const { slug, raw } = folded === state ? session : (findBySlug(folded, session.slug) ?? session)
  const next = withEntry(folded, slug, appendPhase(raw, voice.phase, 'voice', nowMs))
  return { state: next, outcome: { written: true, slug } }
}

const routePhase = (
  state: WorkState,
  { phase, slug, sessionUUID }: VoicePhase,
  nowMs: number,
): Session | undefined => {
  if (slug !== undefined) return findBySlug(state, slug)
  if (sessionUUID === undefined) return fallback(state, nowMs)
  const sessions = ofSession(state, sessionUUID)
  const open = newestOf(sessions.filter((session) => !isComplete(session)))
  // The specification may have set `complete` just before the voice did.
  return open ?? (phase === 'COMPLETE' ? newestOf(sessions) : undefined)
}

/**
 * Spec 2: the most recently updated session within two hours that is not complete. If none was
 * updated, tool activity within that time determines the session.
 */
const fallback = (state: WorkState, nowMs: number): Session | undefined => {
  const open = sessionsOf(state).filter((session) => !isComplete(session))
  return (
    latestWithin(open, nowMs, ({ view }) => believe(view.updatedMs, nowMs)) ??
    latestWithin(open, nowMs, ({ view }) => activityOf(view, nowMs))
  )
}

const latestWithin = (
  sessions: readonly Session[],
  nowMs: number,
  momentOf: (session: Session) => number | undefined,
): Session | undefined => {
  const recent = sessions.flatMap((session) => {
    const atMs = momentOf(session)
    return atMs === undefined || nowMs - atMs > LIMITS.phaseFallbackMs ? [] : [{ session, atMs }]
  })
  return recent.toSorted((a, b) => a.atMs - b.atMs).at(-1)?.session
}
