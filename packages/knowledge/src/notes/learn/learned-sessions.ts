import type { WorkState } from '@steward/contract'
import { sessionsOf } from '@steward/platform'

export interface LearnedSession {
  slug: string
  /** Its specification's path relative to `MEMORY`. */
  specification: string
}

/** Sessions that reached LEARN or later, with their specification. */
export const learnedSessions = (state: WorkState): LearnedSession[] =>
  sessionsOf(state).flatMap(({ slug, view }) =>
    (view.phase === 'learn' || view.phase === 'complete') && view.specification !== undefined
      ? [{ slug, specification: fromMemory(view.specification) }]
      : [],
  )

/** Older programs wrote absolute paths. */
const fromMemory = (path: string): string => {
  const at = path.lastIndexOf('MEMORY/')
  return at === -1 ? path : path.slice(at + 'MEMORY/'.length)
}
