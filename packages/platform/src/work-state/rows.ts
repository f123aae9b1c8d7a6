import type { JsonObject } from '@steward/contract'

/**
 * A list of an entry to add to: empty when there is none yet, nothing when the field holds something
 * else, which then stays as its writer left it.
 */
export const rowsOf = (raw: JsonObject, key: string): readonly unknown[] | undefined => {
  const value = raw[key]
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : undefined
}

/** Lists of two entries, the older one's first; the newer's strange form wins over both. */
export const joinRows = (older: JsonObject, newer: JsonObject, key: string): unknown => {
  const before = rowsOf(older, key) ?? []
  const after = rowsOf(newer, key)
  if (after === undefined) return newer[key]
  return before.length + after.length === 0 ? newer[key] : [...before, ...after]
}
