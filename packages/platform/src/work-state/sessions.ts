import { isJsonObject, type JsonObject, type WorkState } from '@steward/contract'
import { type EntryView, readEntry } from './read-entry.ts'

/** One session of the file: as stored, and as parsed. */
export interface Session {
  slug: string
  raw: JsonObject
  view: EntryView
}

/** A pseudo-entry with the latest ratings of all sessions. */
export const PULSE_STRIP = '__pulse_strip'

/** Entries that are objects, without pseudo-entries (`__name`). */
export const sessionsOf = (state: WorkState): Session[] =>
  Object.entries(state.sessions).flatMap(([slug, raw]) =>
    isJsonObject(raw) && !slug.startsWith('__') ? [{ slug, raw, view: readEntry(raw) }] : [],
  )

/** The own entry for this slug. Slugs come from callers and may be `constructor`. */
export const rawEntryOf = (state: WorkState, slug: string): JsonObject | undefined => {
  const raw = Object.hasOwn(state.sessions, slug) ? state.sessions[slug] : undefined
  return isJsonObject(raw) ? raw : undefined
}

/** The session with this slug, currently or formerly. */
export const findBySlug = (state: WorkState, slug: string): Session | undefined => {
  const sessions = sessionsOf(state)
  return (
    sessions.find((session) => session.slug === slug) ??
    sessions.find(({ view }) => view.previousSlugs.includes(slug))
  )
}

export const ofSession = (state: WorkState, sessionUUID: string): Session[] =>
  sessionsOf(state).filter(({ view }) => view.sessionUUID === sessionUUID)

/** A session with a specification; the others are light. */
export const isFull = ({ view }: Session): boolean =>
  view.specification !== undefined || view.criteria.length > 0

export const isComplete = ({ view }: Pick<Session, 'view'>): boolean => view.phase === 'complete'

/** The most recently written; with equal times the later in the file. */
export const newestOf = (sessions: readonly Session[]): Session | undefined =>
  sessions.toSorted((a, b) => (a.view.updatedMs ?? 0) - (b.view.updatedMs ?? 0)).at(-1)

/** The state with this entry, in its place if it exists; keys with `undefined` are removed. */
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
