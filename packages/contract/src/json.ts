import { z } from 'zod'

export { isJsonObject, parseJsonObject } from './is-json-object.ts'

/** The one currency between actions: a JSON object of named fields. */
export const fields = z.record(z.string(), z.unknown())
export type JsonObject = z.infer<typeof fields>

/** `$schema` in a file that people edit: for their editor alone. */
export const schemaAddress = z
  .string()
  .optional()
  .meta({ description: 'Address of this schema, for editors.' })

/** Names what was found, for messages: `array`, `null`, `integer`, `string`… */
export const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return typeof value
}

/** The size of a text in UTF-8, measured only when it could be above `limit`; otherwise its length is near enough. */
export const utf8Bytes = (text: string, limit: number): number =>
  // A UTF-16 unit takes at most three bytes.
  text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).length
