import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createOfflineClient } from './offline-client.ts'

const client = createOfflineClient()

const ask = (text: string, schema: Record<string, unknown>) =>
  client.call(`Work on this.\n<content>${text}</content>`, { schema })

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const size = (most: number) => fc.integer({ min: 0, max: most })

const plain = fc.record({
  type: fc.constant('string'),
  minLength: optional(size(40)),
  maxLength: optional(fc.integer({ min: 40, max: 200 })),
})
const text = fc.oneof(
  plain,
  fc.constantFrom(
    { type: 'string', pattern: '^[a-z]{3,}$' },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'uri' },
  ),
)
const number = fc
  .record({
    type: fc.constantFrom('integer', 'number'),
    minimum: fc.integer({ min: -50, max: 50 }),
    span: fc.integer({ min: 10, max: 100 }),
    multipleOf: fc.constantFrom(undefined, undefined, 5),
    exclusive: fc.boolean(),
  })
  .map(({ type, minimum, span, multipleOf, exclusive }) => ({
    type,
    ...(exclusive
      ? { exclusiveMinimum: minimum, exclusiveMaximum: minimum + span }
      : { minimum, maximum: minimum + span }),
    ...(multipleOf === undefined ? {} : { multipleOf }),
  }))
const choice = fc.constantFrom(
  { enum: ['low', 'middle', 'high'] },
  { enum: [1, 2, 3] },
  { const: 'fixed' },
  { type: 'boolean' },
  { type: 'null' },
)
const schemas = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    number,
    choice,
    tie('object'),
    tie('array'),
    tie('either'),
    tie('both'),
  ),
  object: fc
    .dictionary(
      fc.constantFrom('title', 'score', 'key_points', 'tags', 'published', 'x'),
      tie('any'),
      { minKeys: 1 },
    )
    .map((properties) => ({
      type: 'object',
      properties,
      required: [...Object.keys(properties), 'note'],
    })),
  array: fc.record({
    type: fc.constant('array'),
    // A text has one date or address, so a list of several cannot be filled.
    items: fc.oneof(plain, number, choice, tie('object')),
    minItems: size(3),
  }),
  either: fc
    .tuple(tie('any'), tie('any'))
    .map((anyOf) => ({ anyOf: [{ type: 'null' }, ...anyOf] })),
  both: fc
    .tuple(tie('object'), tie('any'))
    .map(([one, other]) => ({ allOf: [one, { properties: { other }, required: ['other'] }] })),
}))

const ORDINARY = `# Release notes of 3 March 2026

The team released version 4.2 on 2026-03-03T10:00:00Z, and it closes two holes in the mail server.
Write to security@example.com or see https://example.com/notes for the whole list of changes.
Administrators should update at once, because about 60,000 servers answer on the open internet.`

it('fills any schema from ordinary text', async () => {
  await fc.assert(
    fc.asyncProperty(schemas.any, async (inner) => {
      const schema = { type: 'object', properties: { inner }, required: ['inner'] }
      await expect(ask(ORDINARY, schema)).resolves.toHaveProperty('json.inner')
    }),
    { numRuns: 150 },
  )
})

it('fills a schema that contains itself', async () => {
  const schema = {
    type: 'object',
    required: ['name', 'children'],
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  }
  await expect(ask(ORDINARY, schema)).resolves.toHaveProperty('json.children')
})

it.each([
  [
    { type: 'array', items: { type: 'string' }, minItems: 3 },
    'Hello.',
    /must have at least 3 entries/,
  ],
  [{ type: 'string', format: 'email' }, 'No address here at all.', /email/],
  [{ type: 'string', minLength: 500 }, 'Too short a text.', /at least 500 characters/],
])('says why it cannot fill %j from "%s"', async (inner, content, reason) => {
  const call = ask(content, { type: 'object', properties: { inner }, required: ['inner'] })
  await expect(call).rejects.toThrow(reason)
  await expect(call).rejects.toThrow(
    /It only quotes the text, which has 1 sentences? and \d words?; set LLM_API_KEY/,
  )
})
