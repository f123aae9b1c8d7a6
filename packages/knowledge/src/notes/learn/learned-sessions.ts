import type { WorkState } from '@steward/contract'
import { sessionsOf } from '@steward/platform'

export interface LearnedSession {
  slug: string
  /** Its specification's path from `MEMORY` on. */
  specification: string
}

/** Sessions that have come to LEARN or beyond, with the specification that says what was learned. */
export const learnedSessions = (state: WorkState): LearnedSession[] =>
  sessionsOf(state).flatMap(({ slug, view }) =>
    (view.phase === 'learn' || view.phase === 'complete') && view.specification !== undefined
      ? [{ slug, specification: fromMemory(view.specification) }]
      : [],
  )

/** Older programs wrote whole paths. */
const fromMemory = (path: string): string => {
  const at = path.lastIndexOf('MEMORY/')
  return at === -1 ? path : path.slice(at + 'MEMORY/'.length)
}
