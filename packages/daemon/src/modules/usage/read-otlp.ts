import type { ReceivedCall } from '@steward/assistants'
import { type HostName, isJsonObject, type JsonObject } from '@steward/contract'

/** Logs of one model call, by assistant; the names of the counts are each assistant's own. */
const EVENTS: Readonly<Record<string, { assistant: HostName; names: Names }>> = {
  'claude_code.api_request': {
    assistant: 'claude',
    names: {
      session: 'session.id',
      input: 'input_tokens',
      output: 'output_tokens',
      cacheRead: 'cache_read_tokens',
      cacheWrite: 'cache_creation_tokens',
    },
  },
  'gemini_cli.api_response': {
    assistant: 'gemini',
    names: {
      session: 'session.id',
      input: 'input_token_count',
      output: 'output_token_count',
      cacheRead: 'cached_content_token_count',
      cacheWrite: '',
      reasoning: 'thoughts_token_count',
      inputHasCache: true,
    },
  },
  'codex.sse_event': {
    assistant: 'codex',
    names: {
      session: 'conversation.id',
      input: 'input_token_count',
      output: 'output_token_count',
      cacheRead: 'cached_token_count',
      cacheWrite: '',
      inputHasCache: true,
    },
  },
}

interface Names {
  session: string
  input: string
  output: string
  cacheRead: string
  cacheWrite: string
  /** Tokens that the output does not include. */
  reasoning?: string
  inputHasCache?: true
}

const NANOS_PER_MS = 1_000_000

/** The model calls in an OTLP request. Other logs are dropped. */
export const readOtlpLogs = (request: JsonObject): ReceivedCall[] => {
  const records = objectsIn(request, 'resourceLogs')
    .flatMap((resource) => objectsIn(resource, 'scopeLogs'))
    .flatMap((scope) => objectsIn(scope, 'logRecords'))
  return records.flatMap(readRecord)
}

const readRecord = (record: JsonObject): ReceivedCall[] => {
  const attributes = readAttributes(record)
  const body = isJsonObject(record.body) ? record.body.stringValue : undefined
  const given = String(attributes['event.name'] ?? body ?? '')
  const event = EVENTS[given] ?? EVENTS[`claude_code.${given}`]
  if (event === undefined) return []
  const { assistant, names } = event
  const session = String(attributes[names.session] ?? '')
  const input = countOf(attributes[names.input])
  const output = countOf(attributes[names.output])
  const cacheRead = countOf(attributes[names.cacheRead])
  if (session === '' || input + output + cacheRead === 0) return []
  const atMs = Math.floor(Number(record.timeUnixNano ?? 0) / NANOS_PER_MS)
  const cost = Number(attributes.cost_usd ?? Number.NaN)
  return [
    {
      assistant,
      call: {
        id: `otlp ${session} ${String(record.timeUnixNano)} ${output}`,
        session,
        model: String(attributes.model ?? 'unknown'),
        atMs,
        tokens: {
          input: names.inputHasCache ? Math.max(0, input - cacheRead) : input,
          output: output + countOf(attributes[names.reasoning ?? '']),
          cacheRead,
          cacheWrite5m: countOf(attributes[names.cacheWrite]),
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
