import fc from 'fast-check'
import { generateBodies } from './generate-bodies.ts'
import { createGenerate, type KnownIds } from './generate-values.ts'
import { headerText, oddText, toJsonText } from './odd-values.ts'
import type { JsonSchema, Operation } from './openapi-document.ts'

export interface GeneratedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

const LONGEST_QUERY = 20_000

/** Requests for one operation: valid, nearly valid, and invalid in many ways. */
export const generateRequests = (
  operation: Operation,
  components: Readonly<Record<string, JsonSchema>>,
  ids: KnownIds,
): fc.Arbitrary<GeneratedRequest> => {
  const generate = createGenerate(components, ids)
  const params = operation.query.map(({ name, schema }) =>
    generate(schema, name.replace('[]', '')).map((value) => writeParam(name, value)),
  )
  const unknown = fc.tuple(oddText, oddText).map(([name, value]) => writeParam(name, value))
  return fc
    .record({
      path: fc.tuple(...operation.path.split('/').map((part) => segmentOf(part, ids))),
      // Each is present half of the time, because one invalid parameter would hide the others.
      query: fc.tuple(...[...params, unknown].map((param) => fc.option(param, { freq: 1 }))),
      headers: oddHeaders,
      body: generateBodies(operation, generate),
    })
    .map(({ path, query, headers, body }) => {
      const asked = query.filter((param) => param !== null).join('&')
      return {
        method: operation.method,
        path: `${path.join('/')}${asked === '' ? '' : `?${asked.slice(0, LONGEST_QUERY)}`}`,
        headers: { ...body.headers, ...headers },
        body: body.content,
      }
    })
}

const ODD_SEGMENTS = ['%', '%zz', '%c3%28', '%ed%a0%80', ';', '*', '%20', '%0a', '%00', '%2f%2f']

const segmentOf = (part: string, ids: KnownIds): fc.Arbitrary<string> => {
  const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
  if (name === undefined) return fc.constant(part)
  const encoded = oddText
    .map((text) => encodeURIComponent(text.toWellFormed().slice(0, 2000)))
    // These would change the path.
    .filter((text) => !['', '.', '..'].includes(text))
  return fc.oneof(
    { arbitrary: fc.constant(ids[name] ?? 'nothing_there'), weight: 12 },
    { arbitrary: fc.oneof(fc.constantFrom(...ODD_SEGMENTS), encoded), weight: 1 },
  )
}

/** `types[]=a&types[]=b`, `created_at[gte]=…`, `limit=1`. */
const writeParam = (name: string, value: unknown): string => {
  if (Array.isArray(value))
    return value
      .slice(0, 200)
      .map((each) => writePair(name, each))
      .join('&')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, each]) => writePair(`${name}[${key.slice(0, 200)}]`, each))
      .join('&')
  return writePair(name, value)
}

const writePair = (name: string, value: unknown): string => {
  const text = typeof value === 'string' ? value : toJsonText(value)
  return [name, text.slice(0, 3000)]
    .map((each) => encodeURIComponent(each.toWellFormed()))
    .join('=')
}

const HEADERS = [
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
]
const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  { arbitrary: fc.dictionary(fc.constantFrom(...HEADERS), headerText, { maxKeys: 2 }), weight: 2 },
)
