import { isJsonObject, type JsonObject, parseJsonObject } from '@steward/contract'

/** A JSON Schema, from one or from the short form `{relevant: 'boolean'}`. */
export const answerSchema = (given: unknown): JsonObject | undefined => {
  if (!isJsonObject(given)) return undefined
  if (given.type === 'object' && isJsonObject(given.properties)) return given
  const properties = Object.fromEntries(
    Object.entries(given).map(([name, type]) => [name, isJsonObject(type) ? type : { type }]),
  )
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

/** The fields of an answer in prose that ends with a JSON object, or why there are none. */
export const checkAnswer = (
  answer: string,
  schema: JsonObject,
): { fields: JsonObject } | { reason: string } => {
  const found = findObject(answer)
  if (found === undefined) return { reason: 'it has no JSON object' }
  const properties = isJsonObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const missing = required.find((name) => !Object.hasOwn(found, name))
  if (missing !== undefined) return { reason: `the field ${missing} is missing` }
  for (const [name, spec] of Object.entries(properties)) {
    if (!Object.hasOwn(found, name) || !isJsonObject(spec)) continue
    const problem = mismatch(found[name], spec)
    if (problem !== undefined) return { reason: `the field ${name} ${problem}` }
  }
  const known = Object.keys(properties).filter((name) => Object.hasOwn(found, name))
  return { fields: Object.fromEntries(known.map((name) => [name, found[name]])) }
}

const mismatch = (value: unknown, { type, enum: values }: JsonObject): string | undefined => {
  if (Array.isArray(values) && !values.includes(value)) {
    return `must be one of ${values.join(', ')}`
  }
  const fits = typeof type === 'string' ? TYPES[type] : undefined
  return fits === undefined || fits(value) ? undefined : `must be of type ${type}`
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isJsonObject,
}

/** The last fenced block, or the object that the text ends with. */
const findObject = (text: string): JsonObject | undefined => {
  const blocks = [...text.matchAll(/```(?:json)?[ \t]*\n([\s\S]*?)\n[ \t]*```/g)]
  const fenced = parseJsonObject(blocks.at(-1)?.[1] ?? '')
  if (fenced !== undefined) return fenced
  const end = text.lastIndexOf('}')
  let start = end === -1 ? -1 : text.lastIndexOf('{', end)
  for (let tries = 0; start !== -1 && tries < MOST_STARTS; tries += 1) {
    const parsed = parseJsonObject(text.slice(start, end + 1))
    if (parsed !== undefined) return parsed
    start = start === 0 ? -1 : text.lastIndexOf('{', start - 1)
  }
  return undefined
}

/** A brace may be nested or in a text. */
const MOST_STARTS = 200
