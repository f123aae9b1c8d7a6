import { isJsonObject, type JsonObject, type WorkState } from '@steward/contract'
import { type EntryView, readEntry } from './read-entry.ts'

/** One session of the file: as it is stored, and what we understand of it. */
export interface Session {
  slug: string
  raw: JsonObject
  view: EntryView
}

/** A pseudo-entry that holds the latest ratings of all sessions. */
export const PULSE_STRIP = '__pulse_strip'

/** Entries that are objects, pseudo-entries (`__name`) left out. */
export const sessionsOf = (state: WorkState): Session[] =>
  Object.entries(state.sessions).flatMap(([slug, raw]) =>
    isJsonObject(raw) && !slug.startsWith('__') ? [{ slug, raw, view: readEntry(raw) }] : [],
  )

/** The entry under this slug itself. Slugs come from callers, and `constructor` is one too. */
export const rawEntryOf = (state: WorkState, slug: string): JsonObject | undefined => {
  const raw = Object.hasOwn(state.sessions, slug) ? state.sessions[slug] : undefined
  return isJsonObject(raw) ? raw : undefined
}

/** The session under this slug, or the one that had it before. */
export const findBySlug = (state: WorkState, slug: string): Session | undefined => {
  const sessions = sessionsOf(state)
  return (
    sessions.find((session) => session.slug === slug) ??
    sessions.find(({ view }) => view.previousSlugs.includes(slug))
  )
}

export const ofSession = (state: WorkState, sessionUUID: string): Session[] =>
  sessionsOf(state).filter(({ view }) => view.sessionUUID === sessionUUID)

/** A session that has a specification; the others are light. */
export const isFull = ({ view }: Session): boolean =>
  view.specification !== undefined || view.criteria.length > 0

export const isComplete = ({ view }: Pick<Session, 'view'>): boolean => view.phase === 'complete'

/** The one that was written last; of equals the later in the file. */
export const newestOf = (sessions: readonly Session[]): Session | undefined =>
  sessions.toSorted((a, b) => (a.view.updatedMs ?? 0) - (b.view.updatedMs ?? 0)).at(-1)

/** The state with this entry, in its place when it was there; a key that is `undefined` is taken out. */
export const withEntry = (state: WorkState, slug: string, entry: JsonObject): WorkState => ({
  ...state,
  sessions: {
    ...state.sessions,
    [slug]: Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)),
  },
})

export const withoutEntries = (state: WorkState, slugs: ReadonlySet<string>): WorkState => ({
  ...state,
  sessions: Object.fromEntries(Object.entries(state.sessions).filter(([slug]) => !slugs.has(slug))),
})
