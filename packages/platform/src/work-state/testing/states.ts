import type { WorkState } from '@steward/contract'

export const EMPTY: WorkState = { sessions: {} }
/** A Saturday afternoon in UTC. */
export const NOW = Date.UTC(2026, 2, 7, 15, 4, 5)
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

export const iso = (atMs: number): string => new Date(atMs).toISOString()

/** The entry for a slug, for inspection. */
export const entryAt = (state: WorkState, slug: string): Record<string, unknown> => {
  const entry = state.sessions[slug]
  if (typeof entry !== 'object' || entry === null) throw new Error(`no entry ${slug}`)
  return { ...entry }
}

export const onlySlug = (state: WorkState): string => {
  const [slug, ...more] = Object.keys(state.sessions)
  if (slug === undefined || more.length > 0) throw new Error('expected exactly one session')
  return slug
}
