import type { JsonObject } from '@steward/contract'

/** The trimmed text of a field; empty if missing. */
export const readText = (fields: JsonObject, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** The non-empty texts of an array field; other values are omitted. */
export const readTexts = (fields: JsonObject, name: string): string[] => {
  const value = fields[name]
  if (!Array.isArray(value)) return []
  return value
    .filter((entry) => typeof entry === 'string')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
