import {
  type FieldSpecV2,
  type FieldsSpecV2,
  isJsonObject,
  type JsonObject,
  typeOf,
} from '@steward/contract'
import { z } from 'zod'

/** One field that does not match its manifest, and what was found. */
export interface FieldMistake {
  field: string
  reason: string
}

/** Fills in defaults and lists every field that is missing or of the wrong type. */
export const checkFields = (
  spec: FieldsSpecV2,
  given: JsonObject,
  presence: 'input' | 'output',
): { fields: JsonObject; mistakes: FieldMistake[] } =>
  isObjectSchema(spec) ? checkBySchema(spec, given) : checkByMap(spec, given, presence)

const isObjectSchema = (spec: FieldsSpecV2): spec is { type: 'object' } => spec.type === 'object'

const checkByMap = (
  spec: Record<string, FieldSpecV2>,
  given: JsonObject,
  presence: 'input' | 'output',
): { fields: JsonObject; mistakes: FieldMistake[] } => {
  const defaults: JsonObject = {}
  const mistakes: FieldMistake[] = []
  for (const [field, wanted] of Object.entries(spec)) {
    const found = given[field]
    if (found === undefined || found === null) {
      if (wanted.default !== undefined) defaults[field] = wanted.default
      // Input fields are optional unless `required`; output fields are required unless `required:
      // false`.
      else if (presence === 'input' ? wanted.required === true : wanted.required !== false) {
        mistakes.push({ field, reason: `missing ${presence} "${field}" (${wanted.type})` })
      }
      continue
    }
    const mistake = checkValue(wanted, found)
    if (mistake !== undefined) mistakes.push({ field, reason: `"${field}" ${mistake}` })
  }
  const complete = Object.keys(defaults).length === 0 ? given : { ...given, ...defaults }
  return { fields: complete, mistakes }
}

const checkValue = (wanted: FieldSpecV2, found: unknown): string | undefined => {
  if (!fits(wanted.type, found)) {
    return `must be ${article(wanted.type)} ${wanted.type}, found ${typeOf(found)} ${preview(found)}`
  }
  if (wanted.enum !== undefined && !wanted.enum.includes(found)) {
    return `must be one of ${wanted.enum.map((value) => JSON.stringify(value)).join(', ')}, found ${preview(found)}`
  }
  return undefined
}

const fits = (type: FieldSpecV2['type'], found: unknown): boolean => {
  switch (type) {
    case 'integer':
      return Number.isInteger(found)
    case 'number':
      return typeof found === 'number' && Number.isFinite(found)
    case 'array':
      return Array.isArray(found)
    case 'object':
      return isJsonObject(found)
    default:
      return typeof found === type
  }
}

const checkBySchema = (
  spec: { type: 'object' },
  given: JsonObject,
): { fields: JsonObject; mistakes: FieldMistake[] } => {
  const parsed = schemaOf(spec).safeParse(given)
  if (parsed.success) {
    return {
      fields: isJsonObject(parsed.data) ? { ...given, ...parsed.data } : given,
      mistakes: [],
    }
  }
  const mistakes = parsed.error.issues.map((issue) => {
    const field = issue.path.map(String).join('.')
    return { field, reason: field ? `"${field}" ${issue.message}` : issue.message }
  })
  return { fields: given, mistakes }
}

const schemas = new WeakMap<object, z.ZodType>()

const schemaOf = (spec: { type: 'object' }): z.ZodType => {
  const known = schemas.get(spec)
  if (known !== undefined) return known
  const made = z.fromJSONSchema(spec)
  schemas.set(spec, made)
  return made
}

const article = (word: string): string => (/^[aeio]/.test(word) ? 'an' : 'a')

const preview = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
