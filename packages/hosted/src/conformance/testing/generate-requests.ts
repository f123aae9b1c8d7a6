import fc from 'fast-check'
import { ODD_TEXTS, oddText, oddValue, toJsonText } from './odd-values.ts'
import type { JsonSchema, Operation } from './openapi-document.ts'

/** Ids of things that are there, by the name of the parameter or field that asks for one. */
export type KnownIds = Readonly<Record<string, string>>

export interface GeneratedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

/** Texts that some field or other takes; where a pattern is asked for, those that fit are taken. */
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
/** What fields with an id in them are called besides `file_id` and its kin. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  agent: 'agent_id',
  vault_ids: 'vault_id',
  after: 'event_id',
  tool_use_id: 'event_id',
  custom_tool_use_id: 'event_id',
  session_thread_id: 'thread_id',
  scope_id: 'session_id',
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : toJsonText(value))

/** Requests for one operation: right, nearly right, and wrong in every way that comes to mind. */
export const generateRequests = (
  operation: Operation,
  components: Readonly<Record<string, JsonSchema>>,
  ids: KnownIds,
): fc.Arbitrary<GeneratedRequest> => {
  const follow = (schema: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> => {
    const inner = (next: JsonSchema, nextName = name): fc.Arbitrary<unknown> =>
      depth > 8 ? oddValue : generate(next, nextName, depth + 1)
    if (schema.$ref !== undefined)
      return inner(components[schema.$ref.replace('#/components/schemas/', '')] ?? {})
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
    return schema.type === 'string' ? textOf(schema, name) : oddValue
  }
  const generate = (schema: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> =>
    fc.oneof(
      { arbitrary: follow(schema, name, depth), weight: 24 },
      { arbitrary: oddValue, weight: 1 },
    )

  const objectOf = (
    { properties = {}, required = [], additionalProperties }: JsonSchema,
    inner: (schema: JsonSchema, name?: string) => fc.Arbitrary<unknown>,
  ): fc.Arbitrary<unknown> => {
    const fields = Object.entries(properties).map(
      ([name, schema]) => [name, inner(schema, name)] as const,
    )
    const model = Object.fromEntries(fields)
    const known = fc.oneof(
      {
        arbitrary: fc.record(model, {
          requiredKeys: Object.keys(model).filter((key) => required.includes(key)),
        }),
        weight: 12,
      },
      { arbitrary: fc.record(model, { requiredKeys: [] }), weight: 1 },
    )
    const more = typeof additionalProperties === 'object' ? inner(additionalProperties) : oddValue
    const weight = additionalProperties === false || Object.keys(model).length > 0 ? 1 : 12
    const others = fc.dictionary(fc.oneof(oddText, fc.constant('@@proto@@')), more, { maxKeys: 3 })
    return fc.oneof(
      { arbitrary: known, weight: 12 },
      { arbitrary: fc.tuple(known, others).map(([one, other]) => ({ ...other, ...one })), weight },
    )
  }

  const textOf = ({ format, pattern }: JsonSchema, name: string): fc.Arbitrary<string> => {
    const known = ids[ALSO_CALLED[name] ?? name]
    if (known !== undefined)
      return fc.oneof(
        { arbitrary: fc.constant(known), weight: 5 },
        { arbitrary: oddText, weight: 1 },
      )
    const wanted =
      format === 'date-time' ? /T/ : format === 'uri' ? /^https/ : new RegExp(pattern ?? '')
    const good = GOOD_TEXTS.filter((text) => wanted.test(text))
    return fc.oneof(
      { arbitrary: fc.constantFrom(...(good.length > 0 ? good : GOOD_TEXTS)), weight: 4 },
      { arbitrary: oddText, weight: 1 },
    )
  }

  const path = fc
    .tuple(...pathParts(operation.path).map((part) => segmentOf(part, ids)))
    .map((parts) => parts.join('/'))
  const query = fc
    .tuple(
      ...operation.query.map(({ name, schema }) =>
        fc.option(
          generate(schema, name.replace('[]', ''), 0).map((value) => writeParam(name, value)),
        ),
      ),
      fc.option(fc.tuple(oddText, oddText).map(([name, value]) => writeParam(name, value))),
    )
    .map((parts) => parts.filter((part) => part !== null).join('&'))
  return fc
    .record({ path, query, headers: oddHeaders, body: bodyOf(operation, generate) })
    .map(({ path, query, headers, body }) => ({
      method: operation.method,
      path: query === '' ? path : `${path}?${query.slice(0, 20_000)}`,
      headers: { ...body.headers, ...headers },
      body: body.content,
    }))
}

const pathParts = (path: string): string[] => path.split('/')

const segmentOf = (part: string, ids: KnownIds): fc.Arbitrary<string> => {
  const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
  if (name === undefined) return fc.constant(part)
  const odd = fc
    .oneof(
      fc.constantFrom(
        '%',
        '%zz',
        '%c3%28',
        '%ed%a0%80',
        '.',
        '..',
        '%2e%2e',
        ';',
        '*',
        '%20',
        '%0a',
      ),
      oddText.map((text) => encodeURIComponent(text.toWellFormed().slice(0, 2000))),
    )
    .map((text) => (text === '' ? 'x' : text))
  return fc.oneof(
    { arbitrary: fc.constant(ids[name] ?? 'nothing_there'), weight: 12 },
    { arbitrary: odd, weight: 1 },
  )
}

const numberOf = ({ minimum = -5, maximum = 5000, type }: JsonSchema): fc.Arbitrary<number> =>
  fc.oneof(
    fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1, 1, 2),
    fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, 2 ** 31)) }),
    type === 'integer' ? fc.constant(1.5) : fc.double({ noNaN: true }),
  )

/** `types[]=a&types[]=b`, `created_at[gte]=…`, `limit=1`. */
const writeParam = (name: string, value: unknown): string => {
  const pair = (key: string, each: unknown): string =>
    `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(toText(each).toWellFormed().slice(0, 3000))}`
  if (Array.isArray(value))
    return value
      .slice(0, 200)
      .map((each) => pair(name, each))
      .join('&')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, each]) => pair(`${name}[${key.slice(0, 200)}]`, each))
      .join('&')
  return pair(name, value)
}

/** A header can carry Latin letters alone; what else there is comes as such. */
const headerText = oddText.map((text) =>
  text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?').slice(0, 400),
)

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  {
    arbitrary: fc.dictionary(
      fc.constantFrom(
        'anthropic-beta',
        'anthropic-version',
        'anthropic-worker-id',
        'content-type',
        'idempotency-key',
        'last-event-id',
        'x-stainless-retry-count',
        'authorization',
        'accept',
        'host',
        'origin',
        'range',
        'if-match',
      ),
      headerText,
      { maxKeys: 2 },
    ),
    weight: 2,
  },
)

interface Body {
  headers: Record<string, string>
  content: string | Uint8Array | undefined
}

const bodyOf = (
  { body, method }: Operation,
  generate: (schema: JsonSchema, name: string, depth: number) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Body> => {
  const json = { 'content-type': 'application/json' }
  const nothing = fc.constant<Body>({ headers: {}, content: undefined })
  if (body === 'form') return fc.oneof(formBody, rawBody)
  if (body === undefined)
    return method === 'GET' ? nothing : fc.oneof({ arbitrary: nothing, weight: 4 }, rawBody)
  const right = generate(body, '', 0).map((value) => ({
    headers: json,
    content: toJsonText(value),
  }))
  const cutOff = right.map(({ content }) => ({ headers: json, content: content.slice(0, -1) }))
  return fc.oneof(
    { arbitrary: right, weight: 16 },
    {
      arbitrary: oddValue.map((value) => ({ headers: json, content: toJsonText(value) })),
      weight: 1,
    },
    { arbitrary: cutOff, weight: 1 },
    { arbitrary: rawBody, weight: 1 },
    { arbitrary: nothing, weight: 1 },
  )
}

/** What is no JSON, and what is JSON and yet no text. */
const rawBody: fc.Arbitrary<Body> = fc.oneof(
  fc
    .constantFrom<string | Uint8Array>(
      '{',
      '['.repeat(60_000),
      '{"a":'.repeat(60_000),
      '{"a":1,"a":2}',
      '{"__proto__":{"polluted":true}}',
      'NaN',
      '\ufeff{}',
      '"\ud800"',
      '{"name":"\0"}',
      new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
      new Uint8Array([0xed, 0xa0, 0x80]),
      new Uint8Array([0x1f, 0x8b, 8, 0, 0]),
    )
    .map((content) => ({ headers: {}, content })),
  fc.tuple(fc.uint8Array({ maxLength: 64 }), headerText).map(([content, type]) => ({
    headers: { 'content-type': type },
    content,
  })),
)

const formBody: fc.Arbitrary<Body> = fc
  .record({
    field: fc.constantFrom('file', 'file', 'file', 'File', '', '__proto__'),
    filename: fc.constantFrom('notes.txt', ...ODD_TEXTS.map((text) => text.slice(0, 2000))),
    expires: fc.option(fc.constantFrom('3600', '1', '-1', 'x', '1e9', '')),
    type: fc.constantFrom('multipart/form-data; boundary=b', 'multipart/form-data', 'text/plain'),
    end: fc.constantFrom('\r\n--b--\r\n', '\r\n--b--', '\r\n', ''),
  })
  .map(({ field, filename, expires, type, end }) => ({
    headers: { 'content-type': type },
    content:
      (expires === null
        ? ''
        : `--b\r\ncontent-disposition: form-data; name="expires_in_seconds"\r\n\r\n${expires}\r\n`) +
      `--b\r\ncontent-disposition: form-data; name="${field}"; filename="${filename.toWellFormed()}"\r\n` +
      `content-type: text/plain\r\n\r\nwords${end}`,
  }))
