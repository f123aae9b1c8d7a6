import { z } from 'zod'

/** The data format between actions: a JSON object of named fields. */
export const fields = z.record(z.string(), z.unknown())
export type JsonObject = z.infer<typeof fields>

/** `$schema` in a file that people edit; only editors use it. */
export const schemaAddress = z
  .string()
  .optional()
  .meta({ description: 'Address of this schema, for editors.' })

/** The type of a value for messages: `array`, `null`, `integer`, `string`… */
export const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return typeof value
}

/**
 * The UTF-8 size of a text, encoded only if it could exceed `limit`; otherwise the length is close
 * enough.
 */
export const utf8Bytes = (text: string, limit: number): number =>
  // A UTF-16 unit is at most three UTF-8 bytes.
  text.length * 3 <= limit ? text.length : new TextEncoder().encode(text).length
