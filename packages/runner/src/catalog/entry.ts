import { nearestHint, type Primitive, StewardError } from '@steward/contract'
import type { Origin } from './roots.ts'

/** The location of a primitive: found by name, validated only when loaded. */
export interface CatalogEntry {
  name: string
  path: string
  origin: Origin
  /** It overrides a built-in of the same name. */
  overrides: boolean
}

/** Keeps the first entry of each name (user roots come first) and marks what it overrides. */
export const overrideByName = (entries: readonly CatalogEntry[]): Map<string, CatalogEntry> => {
  const kept = new Map<string, CatalogEntry>()
  for (const entry of entries) {
    const first = kept.get(entry.name)
    if (first === undefined) kept.set(entry.name, entry)
    else kept.set(entry.name, { ...first, overrides: true })
  }
  return kept
}

/** The entry of that name, or `not_found` with the closest match. */
export const findEntry = <Entry>(
  what: Primitive,
  name: string,
  entries: ReadonlyMap<string, Entry>,
): Entry => {
  const entry = entries.get(name)
  if (entry !== undefined) return entry
  throw new StewardError('not_found', { what, name, hint: nearestHint(name, entries.keys()) })
}
