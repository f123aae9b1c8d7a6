import { LIMITS, type Phase, type PhaseOutcome, type WorkState } from '@steward/contract'
import { activityOf } from './activity.ts'
import { appendPhase } from './append-phase.ts'
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

/** A phase that was announced, written to its session; the outcome says to which, or why to none. */
export const writeVoicePhase = (
  state: WorkState,
  voice: VoicePhase,
  nowMs: number,
): Transition<PhaseOutcome> => {
  const session = routePhase(state, voice, nowMs)
  if (session === undefined) {
    // A slug or session that is named and not there must not move somebody else's phase.
    const reason = voice.slug === undefined ? 'no_active_session' : 'unknown_slug'
    return { state, outcome: { written: false, reason } }
  }
  const { slug, raw } = session
  const next = withEntry(state, slug, appendPhase(raw, voice.phase, 'voice', nowMs))
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
  // The specification may have said `complete` a moment before the voice does.
  return open ?? (phase === 'COMPLETE' ? newestOf(sessions) : undefined)
}

/**
 * Spec 2: the most recently updated session within two hours that is not complete. Where none was
 * updated, tool activity within that time still shows which session is at work.
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
