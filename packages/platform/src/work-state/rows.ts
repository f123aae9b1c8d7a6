import type { JsonObject } from '@steward/contract'

/**
 * A list of an entry: empty if missing, undefined if the field has another type, which is then left
 * unchanged.
 */
export const rowsOf = (raw: JsonObject, key: string): readonly unknown[] | undefined => {
  const value = raw[key]
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : undefined
}

/**
 * Joins the lists of two entries, the older one's first; an invalid value of the newer entry is
 * kept instead.
 */
export const joinRows = (older: JsonObject, newer: JsonObject, key: string): unknown => {
  const before = rowsOf(older, key) ?? []
  const after = rowsOf(newer, key)
  if (after === undefined) return newer[key]
  return before.length + after.length === 0 ? newer[key] : [...before, ...after]
}
