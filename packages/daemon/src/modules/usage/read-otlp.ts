import type { ReceivedCall } from '@steward/assistants'
import { type HostName, isJsonObject, type JsonObject } from '@steward/contract'

interface Names {
  assistant: HostName
  session: string
  input: string
  output: string
  cacheRead: string
  cacheWrite: string
  /** Tokens that the output does not include. */
  reasoning?: string
  inputHasCache?: true
}

/** Logs of one model call, by assistant; the names of the counts are each assistant's own. */
const EVENTS: Readonly<Record<string, Names>> = {
  'claude_code.api_request': {
    assistant: 'claude',
    session: 'session.id',
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cache_read_tokens',
    cacheWrite: 'cache_creation_tokens',
  },
  'gemini_cli.api_response': {
    assistant: 'gemini',
    session: 'session.id',
    input: 'input_token_count',
    output: 'output_token_count',
    cacheRead: 'cached_content_token_count',
    cacheWrite: '',
    reasoning: 'thoughts_token_count',
    inputHasCache: true,
  },
  'codex.sse_event': {
    assistant: 'codex',
    session: 'conversation.id',
    input: 'input_token_count',
    output: 'output_token_count',
    cacheRead: 'cached_token_count',
    cacheWrite: 'cache_write_token_count',
    inputHasCache: true,
  },
}

/** Sums of tokens by type. Those of Codex name no session, so its logs are needed. */
const METRICS: Readonly<Record<string, Names>> = {
  'claude_code.token.usage': {
    assistant: 'claude',
    session: 'session.id',
    input: 'input',
    output: 'output',
    cacheRead: 'cacheRead',
    cacheWrite: 'cacheCreation',
  },
  'gemini_cli.token.usage': {
    assistant: 'gemini',
    session: 'session.id',
    input: 'input',
    output: 'output',
    cacheRead: 'cache',
    cacheWrite: '',
    reasoning: 'thought',
    inputHasCache: true,
  },
}
const COST_METRIC = 'claude_code.cost.usage'
const COST = 'cost_usd'
/** The value counts since the last report, and not since the program started. */
const DELTA = new Set<unknown>([1, '1', 'AGGREGATION_TEMPORALITY_DELTA'])

const SESSION = /^[\w.:-]{1,200}$/
const NANOS_PER_MS = 1_000_000

/** The model calls in an OTLP request. Other logs are dropped. */
export const readOtlpLogs = (request: JsonObject): ReceivedCall[] =>
  objectsIn(request, 'resourceLogs')
    .flatMap((resource) => objectsIn(resource, 'scopeLogs'))
    .flatMap((scope) => objectsIn(scope, 'logRecords'))
    .flatMap(readRecord)

const readRecord = (record: JsonObject): ReceivedCall[] => {
  const attributes = readAttributes(record)
  const body = isJsonObject(record.body) ? record.body.stringValue : undefined
  const given = String(attributes['event.name'] ?? body ?? '')
  const names = EVENTS[given] ?? EVENTS[`claude_code.${given}`]
  if (names === undefined) return []
  // Codex leaves the first empty.
  const nanos = [record.timeUnixNano, record.observedTimeUnixNano].find((each) => Number(each) > 0)
  const session = String(attributes[names.session] ?? '')
  return toCall(names, attributes, {
    source: 'logs',
    session,
    model: String(attributes.model ?? 'unknown'),
    nanos,
    key: [nanos, attributes[names.output], attributes['event.sequence']].map(String).join(' '),
  })
}

/** The tokens in an OTLP request: one entry per session, model and report. */
export const readOtlpMetrics = (request: JsonObject): ReceivedCall[] => {
  const groups = new Map<string, Group>()
  const metrics = objectsIn(request, 'resourceMetrics')
    .flatMap((resource) => objectsIn(resource, 'scopeMetrics'))
    .flatMap((scope) => objectsIn(scope, 'metrics'))
  for (const { name, sum } of metrics) {
    const isCost = name === COST_METRIC
    const names = METRICS[isCost ? 'claude_code.token.usage' : String(name)]
    if (names === undefined || !isJsonObject(sum)) continue
    const isDelta = DELTA.has(sum.aggregationTemporality)
    for (const point of objectsIn(sum, 'dataPoints')) {
      const attributes = readAttributes(point)
      const session = String(attributes[names.session] ?? '')
      const model = String(attributes.model ?? 'unknown')
      const id = JSON.stringify([names.assistant, session, model])
      const group = groups.get(id) ?? {
        names,
        session,
        model,
        nanos: 0n,
        since: undefined,
        counts: {},
      }
      const type = isCost ? COST : String(attributes.type)
      const value = Number(point.asInt ?? point.asDouble ?? 0)
      group.counts[type] = (group.counts[type] ?? 0) + value
      const nanos = nanosOf(isDelta ? point.timeUnixNano : point.startTimeUnixNano)
      // The types begin when they are first counted; the earliest stays the same in later reports.
      if (group.since === undefined || nanos < group.since) group.since = nanos
      group.nanos = nanosOf(point.timeUnixNano)
      groups.set(id, group)
    }
  }
  return [...groups.values()].flatMap(({ names, session, model, nanos, since, counts }) =>
    toCall(names, counts, { source: 'metrics', session, model, nanos, key: `${model} ${since}` }),
  )
}

interface Group {
  names: Names
  session: string
  model: string
  nanos: bigint
  /** The beginning of a sum, or the time of a report that counts since the last. */
  since: bigint | undefined
  counts: Record<string, number>
}

const nanosOf = (value: unknown): bigint => {
  const text = String(value ?? '0')
  return /^\d{1,20}$/.test(text) ? BigInt(text) : 0n
}

interface CallFacts {
  source: ReceivedCall['source']
  session: string
  model: string
  nanos: unknown
  /** Distinguishes the calls of a session. */
  key: string
}

const toCall = (
  names: Names,
  counts: Readonly<Record<string, unknown>>,
  { source, session, model, nanos, key }: CallFacts,
): ReceivedCall[] => {
  const input = countOf(counts[names.input])
  const output = countOf(counts[names.output])
  const cacheRead = countOf(counts[names.cacheRead])
  const cacheWrite5m = countOf(counts[names.cacheWrite])
  if (!SESSION.test(session) || input + output + cacheRead === 0) return []
  const cost = Number(counts[COST] ?? Number.NaN)
  return [
    {
      assistant: names.assistant,
      source,
      key,
      call: {
        session,
        model,
        atMs: Math.floor(Number(nanos ?? 0) / NANOS_PER_MS),
        tokens: {
          input: names.inputHasCache ? Math.max(0, input - cacheRead - cacheWrite5m) : input,
          output: output + countOf(counts[names.reasoning ?? '']),
          cacheRead,
          cacheWrite5m,
          cacheWrite1h: 0,
        },
        ...(Number.isFinite(cost) && cost > 0 ? { costUsd: cost } : {}),
      },
    },
  ]
}

const objectsIn = (from: JsonObject, key: string): JsonObject[] => {
  const value = from[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** 64-bit numbers are strings in OTLP's JSON. */
const readAttributes = (record: JsonObject): Record<string, unknown> =>
  Object.fromEntries(
    objectsIn(record, 'attributes').map(({ key, value }) => [
      String(key),
      isJsonObject(value) ? (value.stringValue ?? value.intValue ?? value.doubleValue) : undefined,
    ]),
  )

const countOf = (value: unknown): number => {
  const count = Math.round(Number(value ?? 0))
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}
