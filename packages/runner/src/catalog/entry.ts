import { nearestHint, type Primitive, StewardError } from '@steward/contract'
import type { Origin } from './roots.ts'

/** Where a primitive stands: found by name, judged only when it is loaded. */
export interface CatalogEntry {
  name: string
  path: string
  origin: Origin
  /** A built-in of the same name is hidden by this one. */
  overrides: boolean
}

/** Keeps the first entry of each name (user roots come first) and marks what it hides. */
export const overrideByName = (entries: readonly CatalogEntry[]): Map<string, CatalogEntry> => {
  const kept = new Map<string, CatalogEntry>()
  for (const entry of entries) {
    const first = kept.get(entry.name)
    if (first === undefined) kept.set(entry.name, entry)
    else kept.set(entry.name, { ...first, overrides: true })
  }
  return kept
}

/** The entry of that name, or `not_found` with the nearest one suggested. */
export const findEntry = <Entry>(
  what: Primitive,
  name: string,
  entries: ReadonlyMap<string, Entry>,
): Entry => {
  const entry = entries.get(name)
  if (entry !== undefined) return entry
  throw new StewardError('not_found', { what, name, hint: nearestHint(name, entries.keys()) })
}
