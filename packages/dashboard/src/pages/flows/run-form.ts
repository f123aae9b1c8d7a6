import type { CatalogField } from '@steward/contract'

/** The input control for a field. */
export type Control = 'text' | 'longText' | 'number' | 'yesNo' | 'choice' | 'json'

/** Typed values by field; `yesNo` as `true`, `false` or empty. */
export type FormValues = Readonly<Record<string, string>>
export type FieldErrors = Readonly<Record<string, string>>

/** Names of fields that usually contain a whole document. */
const LONG = /content|text|body|markdown|html|transcript|prompt/i

export const controlOf = ({ type, enum: choices, name }: CatalogField): Control => {
  if (choices?.every((choice) => typeof choice === 'string')) return 'choice'
  switch (type) {
    case 'string':
      return LONG.test(name) ? 'longText' : 'text'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'yesNo'
    default:
      return 'json'
  }
}

/** Required fields first; otherwise in manifest order. */
export const orderFields = (fields: readonly CatalogField[]): CatalogField[] =>
  fields.toSorted((one, other) => Number(other.required) - Number(one.required))

/** The input of an earlier run as typed values; fields that the form lacks are omitted. */
export const fillForm = (
  fields: readonly CatalogField[],
  input: Readonly<Record<string, unknown>>,
): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = Object.hasOwn(input, field.name) ? input[field.name] : undefined
      if (value === undefined) return []
      const isText = controlOf(field) !== 'json' && typeof value === 'string'
      return [[field.name, isText ? value : JSON.stringify(value, null, 2)]]
    }),
  )

/** Parses typed values. Empty fields are omitted; every mistake is reported at its field. */
export const readForm = (
  fields: readonly CatalogField[],
  values: FormValues,
): { input: Record<string, unknown>; errors: FieldErrors } => {
  const input = new Map<string, unknown>()
  const errors = new Map<string, string>()
  for (const field of fields) {
    const typed = Object.hasOwn(values, field.name) ? (values[field.name] ?? '') : ''
    if (typed.trim() === '') {
      if (field.required) errors.set(field.name, 'is required')
      continue
    }
    const read = readField(field, typed)
    if ('error' in read) errors.set(field.name, read.error)
    else input.set(field.name, read.value)
  }
  return { input: Object.fromEntries(input), errors: Object.fromEntries(errors) }
}

const readField = (field: CatalogField, typed: string): { value: unknown } | { error: string } => {
  switch (controlOf(field)) {
    case 'number':
      return readNumber(field.type, typed)
    case 'yesNo':
      return { value: typed === 'true' }
    case 'json':
      return readJson(field.type, typed)
    default:
      return { value: typed }
  }
}

const readNumber = (type: string, typed: string): { value: number } | { error: string } => {
  const value = Number(typed)
  if (!Number.isFinite(value)) return { error: `must be a number, found ${typed}` }
  if (type === 'integer' && !Number.isInteger(value)) {
    return { error: `must be a whole number, found ${typed}` }
  }
  return { value }
}

const readJson = (type: string, typed: string): { value: unknown } | { error: string } => {
  let value: unknown
  try {
    value = JSON.parse(typed)
  } catch (thrown) {
    return { error: `is not valid JSON: ${thrown instanceof Error ? thrown.message : thrown}` }
  }
  if (type === 'array' && !Array.isArray(value)) return { error: 'must be a JSON array: [ … ]' }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type === 'object' && !isObject) return { error: 'must be a JSON object: { … }' }
  return { value }
}
