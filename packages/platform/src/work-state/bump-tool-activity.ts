import { LIMITS, type WorkState } from '@steward/contract'
import { foldLeftOver } from './fold-left-over.ts'
import { formatMoment } from './moments.ts'
import { isComplete, newestOf, ofSession, withEntry } from './sessions.ts'
import type { Transition } from './transition.ts'

export interface ToolActivityOutcome {
  bumped: boolean
  slug?: string
}

/** A tool was used in a session; written at most every 30 seconds. Spec 2, Limits. */
export const bumpToolActivity = (
  state: WorkState,
  sessionUUID: string,
  nowMs: number,
): Transition<ToolActivityOutcome> => {
  const folded = foldLeftOver(state, sessionUUID)
  const open = ofSession(folded, sessionUUID).filter((session) => !isComplete(session))
  const session = newestOf(open)
  if (session === undefined) return { state, outcome: { bumped: false } }
  const { slug, raw, view } = session
  const sinceMs = nowMs - (view.toolActivityMs ?? Number.NEGATIVE_INFINITY)
  // Negative: the clock was set back, and the old time would suppress updates for long.
  if (folded === state && sinceMs >= 0 && sinceMs < LIMITS.toolActivityDebounceMs) {
    return { state, outcome: { bumped: false, slug } }
  }
  const next = withEntry(folded, slug, { ...raw, lastToolActivity: formatMoment(nowMs) })
  return { state: next, outcome: { bumped: true, slug } }
}
