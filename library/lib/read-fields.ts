import type { JsonObject } from '@steward/contract'

/** The text of a field without the white space around it; empty when there is none. */
export const readText = (fields: JsonObject, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** The non-empty texts of an array field; anything else in it is left out. */
export const readTexts = (fields: JsonObject, name: string): string[] => {
  const value = fields[name]
  if (!Array.isArray(value)) return []
  return value
    .filter((entry) => typeof entry === 'string')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
