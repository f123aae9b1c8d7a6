import type { WorkState } from '@steward/contract'
import { formatMoment } from './moments.ts'
import { isComplete, newestOf, ofSession, withEntry } from './sessions.ts'
import type { Transition } from './transition.ts'

/** Names the active sessions of a host session, or else the last one. */
export const nameSession = (
  state: WorkState,
  { sessionUUID, name }: { sessionUUID: string; name: string },
  nowMs: number,
): Transition<{ slugs: string[] }> => {
  const sessions = ofSession(state, sessionUUID)
  const open = sessions.filter((session) => !isComplete(session))
  const last = newestOf(sessions)
  const named = open.length > 0 || last === undefined ? open : [last]
  const changed = named.filter(({ view }) => view.sessionName !== name)
  const next = changed.reduce(
    (before, { slug, raw, view }) =>
      withEntry(before, slug, {
        ...raw,
        sessionName: name,
        // A name is not activity for a finished session.
        ...(isComplete({ view }) ? {} : { updatedAt: formatMoment(nowMs) }),
      }),
    state,
  )
  return { state: next, outcome: { slugs: changed.map(({ slug }) => slug) } }
}
