import fc from 'fast-check'
import { oddText, oddValue, PROTO } from './odd-values.ts'
import type { JsonSchema } from './openapi-document.ts'

/** Ids of existing resources, by the name of the parameter or field. */
export type KnownIds = Readonly<Record<string, string>>

/** Generates values for a schema: mostly valid, sometimes invalid at any depth. */
export type Generate = (schema: JsonSchema, name: string, depth?: number) => fc.Arbitrary<unknown>

/** Texts that some field accepts; where a schema has a pattern, only matching ones are used. */
const GOOD_TEXTS = [
  'name',
  'API_TOKEN',
  'main',
  'https://example.com/x',
  'example.com',
  '*.example.com',
  '2026-11-15T12:00:00Z',
  '0123abcdef',
  '/mnt/session/uploads/x',
  '250',
  'claude-opus-4-6',
]

/** Other names of id fields besides `file_id` and similar ones. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  agent: 'agent_id',
  vault_ids: 'vault_id',
  ids: 'file_id',
  after: 'event_id',
  tool_use_id: 'event_id',
  custom_tool_use_id: 'event_id',
  session_thread_id: 'thread_id',
  scope_id: 'session_id',
}

/** Cursors that look genuine. */
const CURSORS = [
  { o: 'desc', d: 'next', t: 1, i: 'x' },
  { o: 'desc', d: 'prev', t: Number.MAX_SAFE_INTEGER, i: 'x' },
  { o: 'asc', d: 'prev', t: -1e300, i: '__proto__' },
  { o: 'desc', d: 'next', t: 1.5, i: "a' OR 1=1" },
  { o: 'asc', s: 0 },
  { o: 'asc', s: 1e300 },
  { n: 1 },
  { n: 1e300 },
  null,
].map((fields) => Buffer.from(JSON.stringify(fields)).toString('base64url'))

const DEEPEST = 8

export const createGenerate = (
  components: Readonly<Record<string, JsonSchema>>,
  ids: KnownIds,
): Generate => {
  const generate: Generate = (schema, name, depth = 0) =>
    depth > DEEPEST
      ? oddValue
      : fc.oneof(
          { arbitrary: follow(schema, name, depth), weight: 24 },
          { arbitrary: oddValue, weight: 1 },
        )
  const follow = (schema: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> => {
    const inner = (next: JsonSchema, nextName = name): fc.Arbitrary<unknown> =>
      generate(next, nextName, depth + 1)
    // A reference does not count as a level, because no input schema is recursive.
    if (schema.$ref !== undefined)
      return follow(components[schema.$ref.replace('#/components/schemas/', '')] ?? {}, name, depth)
    const choices = schema.oneOf ?? schema.anyOf
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => inner(choice)))
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    const types = [schema.type ?? []].flat()
    if (types.length > 1)
      return fc.oneof(...types.map((type) => follow({ ...schema, type }, name, depth)))
    if (schema.type === 'object') return objectOf(schema, inner)
    if (schema.type === 'array') return fc.array(inner(schema.items ?? {}), { maxLength: 3 })
    if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema)
    if (schema.type === 'boolean') return fc.boolean()
    if (schema.type === 'null') return fc.constant(null)
    return schema.type === 'string' ? textOf(schema, name, ids) : oddValue
  }
  return generate
}

const objectOf = (
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inner: (schema: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> => {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, inner(schema, name)]),
  )
  const requiredKeys = Object.keys(model).filter((key) => required.includes(key))
  const known = fc.oneof(
    { arbitrary: fc.record(model, { requiredKeys }), weight: 12 },
    { arbitrary: fc.record(model, { requiredKeys: [] }), weight: 1 },
  )
  const more = typeof additionalProperties === 'object' ? inner(additionalProperties) : oddValue
  const others = fc.dictionary(fc.oneof(oddText, fc.constant(PROTO)), more, { maxKeys: 3 })
  const weight = Object.keys(model).length > 0 ? 1 : 12
  return fc.oneof(
    { arbitrary: known, weight: 12 },
    { arbitrary: fc.tuple(known, others).map(([one, other]) => ({ ...other, ...one })), weight },
  )
}

const textOf = (
  { format, pattern }: JsonSchema,
  name: string,
  ids: KnownIds,
): fc.Arbitrary<string> => {
  const known = ids[ALSO_CALLED[name] ?? name]
  if (name === 'page') return fc.oneof(fc.constantFrom(...CURSORS), oddText)
  if (known !== undefined)
    return fc.oneof({ arbitrary: fc.constant(known), weight: 5 }, { arbitrary: oddText, weight: 1 })
  const wanted =
    format === 'date-time' ? /T/ : format === 'uri' ? /^https/ : new RegExp(pattern ?? '')
  const good = GOOD_TEXTS.filter((text) => wanted.test(text))
  return fc.oneof(
    { arbitrary: fc.constantFrom(...(good.length > 0 ? good : GOOD_TEXTS)), weight: 4 },
    { arbitrary: oddText, weight: 1 },
  )
}

const numberOf = ({ minimum = -5, maximum = 5000, type }: JsonSchema): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(1, 2, minimum, maximum, minimum - 1, maximum + 1),
    fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 2 ** 31)) }),
    type === 'integer' ? fc.constantFrom(1.5, 3) : fc.double({ noNaN: true }),
  )
