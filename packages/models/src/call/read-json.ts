import {
  describeIssues,
  isJsonDeeperThan,
  isJsonObject,
  issuesOf,
  LIMITS,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { z } from 'zod'

export type ReadJson = (
  text: string,
) => { ok: true; value: unknown } | { ok: false; reason: string }

const schemaShape = z.custom<Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>>(isJsonObject)

/**
 * Creates the parser of an answer: extracts JSON from the text and validates it against the schema,
 * if any.
 */
export const createJsonReader = (schema: Record<string, unknown> | undefined): ReadJson => {
  const shape = schema === undefined ? z.record(z.string(), z.unknown()) : shapeOf(schema)
  return (text) => {
    const found = findJson(text)
    if (!found.ok) return found
    const checked = shape.safeParse(found.value)
    if (checked.success) return { ok: true, value: checked.data }
    return { ok: false, reason: describeIssues(issuesOf(checked.error)) }
  }
}

const shapeOf = (schema: Record<string, unknown>): z.ZodType => {
  try {
    return z.fromJSONSchema(schemaShape.parse(completeSchema(schema)))
  } catch (error) {
    throw new StewardError(
      'invalid_input',
      { subject: 'the schema of a model call', reason: reasonOf(error), field: 'schema' },
      error,
    )
  }
}

/** Models wrap JSON in fences and phrases, so the outermost braces or brackets count. */
export const findJson = (text: string): ReturnType<ReadJson> => {
  const whole = parse(text)
  if (whole.ok) return whole
  const start = text.search(/[{[]/)
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  if (start === -1 || end <= start) return { ok: false, reason: 'it contains no JSON' }
  const inner = parse(text.slice(start, end + 1))
  return inner.ok ? inner : { ok: false, reason: `its JSON is invalid (${inner.reason})` }
}

const parse = (text: string): ReturnType<ReadJson> => {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonDeeperThan(text, LIMITS.jsonDepth)) return { ok: true, value }
    return { ok: false, reason: `it nests deeper than ${LIMITS.jsonDepth} levels` }
  } catch (error) {
    return { ok: false, reason: reasonOf(error) }
  }
}

const ANYTHING = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }

/**
 * Makes explicit what a JSON Schema implies, because the validator would ignore it otherwise: that
 * `properties` means an object, that an array has items, that a required field is a property.
 */
const completeSchema = (schema: Record<string, unknown>): Record<string, unknown> => {
  const complete: Record<string, unknown> = { ...schema }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[keyword]
    if (Array.isArray(list)) complete[keyword] = list.map(completeAny)
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const map = schema[keyword]
    if (isJsonObject(map)) complete[keyword] = completeAll(map)
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (isJsonObject(schema[keyword])) complete[keyword] = completeAny(schema[keyword])
  }
  if (isJsonObject(complete.properties)) complete.type ??= 'object'
  if (complete.type === 'array') complete.items ??= {}
  if (complete.type === 'object' && Array.isArray(schema.required)) {
    const named = schema.required.filter((name) => typeof name === 'string')
    const missing = Object.fromEntries(named.map((name) => [name, ANYTHING]))
    complete.properties = {
      ...missing,
      ...(isJsonObject(complete.properties) ? complete.properties : {}),
    }
  }
  return complete
}

const completeAny = (value: unknown): unknown =>
  isJsonObject(value) ? completeSchema(value) : value

const completeAll = (map: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, completeAny(value)]))
