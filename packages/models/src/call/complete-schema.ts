import { isFields } from '@steward/contract'

const ANYTHING = { type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }

/**
 * Says outright what a JSON Schema leaves implied, because the checker passes over it otherwise:
 * that `properties` means an object, that a list has items, that a required field is a field.
 */
export const completeSchema = (schema: Record<string, unknown>): Record<string, unknown> => {
  const complete: Record<string, unknown> = { ...schema }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[keyword]
    if (Array.isArray(list)) complete[keyword] = list.map(completeAny)
  }
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const map = schema[keyword]
    if (isFields(map)) complete[keyword] = completeAll(map)
  }
  for (const keyword of ['items', 'additionalProperties']) {
    if (isFields(schema[keyword])) complete[keyword] = completeAny(schema[keyword])
  }
  if (isFields(complete.properties)) complete.type ??= 'object'
  if (complete.type === 'array') complete.items ??= {}
  if (complete.type === 'object' && Array.isArray(schema.required)) {
    const named = schema.required.filter((name) => typeof name === 'string')
    const missing = Object.fromEntries(named.map((name) => [name, ANYTHING]))
    complete.properties = {
      ...missing,
      ...(isFields(complete.properties) ? complete.properties : {}),
    }
  }
  return complete
}

const completeAny = (value: unknown): unknown => (isFields(value) ? completeSchema(value) : value)

const completeAll = (map: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, completeAny(value)]))
