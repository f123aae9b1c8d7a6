import type { WorkState } from '@steward/contract'
import { foldSession } from './fold-session.ts'
import { isComplete, isFull, ofSession, withEntry, withoutEntries } from './sessions.ts'

/**
 * Merges light sessions into the open full one of the same host session. Hooks of LifeOS leave a light
 * session behind if its phase was announced before they promoted it, and it would be shown as a second
 * active session.
 */
export const foldLeftOver = (state: WorkState, sessionUUID: string): WorkState => {
  const open = ofSession(state, sessionUUID).filter((session) => !isComplete(session))
  const full = open.filter(isFull).at(-1)
  const light = open.filter((session) => !isFull(session))
  if (full === undefined || light.length === 0) return state
  const entry = light.reduce((folded, session) => foldSession(folded, session), full.raw)
  return withEntry(withoutEntries(state, new Set(light.map(({ slug }) => slug))), full.slug, entry)
}
