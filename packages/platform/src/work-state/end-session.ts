import type { JsonObject, WorkState } from '@steward/contract'
import { closeLast } from './append-phase.ts'
import { formatMoment } from './moments.ts'
import { endLastMode } from './record-mode.ts'
import { rowsOf } from './rows.ts'
import { isComplete, isFull, ofSession, type Session, withEntry } from './sessions.ts'
import type { Transition } from './transition.ts'

/**
 * The host session ended. Its light sessions are complete; a full one keeps the phase of its
 * specification, because the work may continue in another host session, and becomes stale over
 * time.
 */
export const endSession = (
  state: WorkState,
  sessionUUID: string,
  nowMs: number,
): Transition<{ completed: string[] }> => {
  const open = ofSession(state, sessionUUID).filter((session) => !isComplete(session))
  const next = open.reduce(
    (before, session) => withEntry(before, session.slug, ended(session, nowMs)),
    state,
  )
  const completed = open.filter((session) => !isFull(session)).map(({ slug }) => slug)
  return { state: next, outcome: { completed } }
}

const ended = (session: Session, nowMs: number): JsonObject => {
  const { raw } = session
  const modes = rowsOf(raw, 'modeHistory')
  const phases = rowsOf(raw, 'phaseHistory')
  return {
    ...raw,
    ...(modes === undefined || modes.length === 0
      ? {}
      : { modeHistory: endLastMode(modes, nowMs) }),
    ...(isFull(session)
      ? {}
      : {
          phase: 'complete',
          updatedAt: formatMoment(nowMs),
          ...(phases === undefined || phases.length === 0
            ? {}
            : { phaseHistory: closeLast(phases, nowMs) }),
        }),
  }
}
