import { z } from 'zod'
import { HOSTS } from '../host-event.ts'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

export const USAGE_KEYS = [
  'day',
  'week',
  'month',
  'session',
  'project',
  'model',
  'assistant',
  'branch',
  'subagent',
  'flow',
] as const
/** Steward's own model calls: of actions, of hosted agents and of observers. */
export const OWN_ORIGINS = ['runs', 'hosted', 'observers'] as const
/** Where a model call comes from. */
export const USAGE_ORIGINS = [...HOSTS, ...OWN_ORIGINS] as const
export type UsageOrigin = (typeof USAGE_ORIGINS)[number]
export type UsageKey = (typeof USAGE_KEYS)[number]

const count = z.int().nonnegative()
const dollars = z.number().nonnegative()

/** Tokens and cost of a group of model calls. */
export const usageSum = z.object({
  /** Without tokens of the prompt cache. */
  input_tokens: count,
  /** With reasoning. */
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  /** Null if the price of a call is unknown. */
  cost_usd: dollars.nullable(),
  /** The part of the cost that the assistant reported itself. */
  reported_usd: dollars,
  /** The part that was computed from list prices. */
  computed_usd: dollars,
  /** Calls without a known price; `cost_usd` is null if there are any. */
  unpriced_calls: count,
  calls: count,
  sessions: count,
})
export type UsageSum = z.infer<typeof usageSum>

export const usageRow = usageSum.extend({
  key: z.string(),
  /** The name of a session, if it has one. */
  title: z.string().optional(),
  /** What a running session will have cost after another hour at its present pace. */
  projected_usd: dollars.optional(),
  /** The assistant and the folder of a session. */
  assistant: z.enum(USAGE_ORIGINS).optional(),
  project: z.string().optional(),
  /** The last call of a session or project. */
  last_at: z.iso.datetime().optional(),
})
export type UsageRow = z.infer<typeof usageRow>

export const usageQuery = z.object({
  by: z.enum(USAGE_KEYS).default('day'),
  /** Calls from this day on, in the time zone of the machine. */
  since: z.iso.date().optional(),
  /** Calls up to and including this day. */
  until: z.iso.date().optional(),
  /** Also answer with a time series of this resolution. */
  series: z.enum(['hour', 'day']).optional(),
  /** A folder with everything below it, or a part of the path if it does not begin with `/`. */
  project: z.string().min(1).max(500).optional(),
  /** A session, or several separated by commas. */
  session: z.string().min(1).max(4000).optional(),
  /** An assistant, or one of runs, hosted and observers. */
  assistant: z.enum(USAGE_ORIGINS).optional(),
  /** At most this many rows: the most expensive, or the last days, weeks or months. */
  limit: z.coerce.number().int().min(1).max(100_000).optional(),
})
export type UsageQuery = z.infer<typeof usageQuery>

/** Where tokens are known from: rows of the assistant, telemetry, or totals beyond the rows. */
export const USAGE_SOURCES = ['record', 'logs', 'metrics', 'rest'] as const

/** Tokens and cost of one session. */
export const sessionSpend = z.object({
  total: usageSum,
  projected_usd: dollars.optional(),
  /** One per model and agent, the most expensive first. */
  parts: z.array(
    usageSum.omit({ sessions: true }).extend({
      model: z.string(),
      /** Null for the main agent. */
      subagent: z.string().nullable(),
      source: z.enum(USAGE_SOURCES),
    }),
  ),
})
export type SessionSpend = z.infer<typeof sessionSpend>

/** A limit of an assistant's subscription that is open now. */
export const usageWindow = z.object({
  assistant: z.enum(USAGE_ORIGINS),
  kind: z.enum(['five_hours', 'week']),
  started_at: z.iso.datetime(),
  resets_at: z.iso.datetime(),
  tokens: count,
  /** The cost of the calls with a known price. */
  known_usd: dollars,
  /** Null if nothing is known to compare with. */
  used_percent: z.number().nonnegative().nullable(),
  /** What the percentage is relative to: the limit, as the vendor said, or the largest earlier window. */
  basis: z.enum(['vendor', 'largest earlier window']),
})
export type UsageWindow = z.infer<typeof usageWindow>

/** How much of a budget of the settings is spent. */
export const budgetState = z.object({
  name: z.string(),
  /** The session with the highest cost, for a budget per session. */
  session: z.string().optional(),
  usd: dollars,
  spent_usd: dollars,
  /** From 80 % on `warn`, from 100 % on `over`. */
  state: z.enum(['ok', 'warn', 'over']),
  /** Sessions are stopped when it is over. */
  stop: z.boolean(),
})
export type BudgetState = z.infer<typeof budgetState>

export const usageReport = z.object({
  rows: z.array(usageRow),
  /** Rows beyond the limit. */
  more_rows: count,
  /** The same calls over time, per key of a row; empty unless `series` was given. */
  series: z.array(usageRow.extend({ at: z.string() })),
  total: usageSum,
  /** Models without a known price, most used first. */
  unpriced_models: z.array(z.string()),
  windows: z.array(usageWindow),
  budgets: z.array(budgetState),
  /** Files and bytes read so far, while the assistants' history is being imported. */
  import: z.object({ done: count, total: count, bytes: count }).nullable(),
  /** Files that could not be read, with the reason. */
  problems: z.array(z.string()),
})
export type UsageReport = z.infer<typeof usageReport>

/** The file with what a status line shows, relative to the data home; the daemon writes it. */
export const STATUS_SUMMARY_FILE = 'MEMORY/STATE/statusline.json'

/** Not a schema: `steward statusline` starts too often to load one. */
export interface StatusSummary {
  /** The beginning of the day that `today_usd` is about. */
  day: string
  today_usd: number
  /** Whether calls of the day have no known price. */
  today_is_partial: boolean
  /** The cost of each session of the last 24 hours. */
  sessions: Record<string, number>
  /** Those of them with calls that have no known price. */
  partial_sessions: string[]
  windows: Array<Pick<UsageWindow, 'assistant' | 'kind' | 'used_percent' | 'resets_at'>>
  /** Requests of assistants that wait for you. */
  waiting: number
}

/** The records inside differ by assistant and version; unknown fields are dropped. */
const otlpLogs = z.looseObject({ resourceLogs: z.array(z.unknown()).default([]) })
const otlpMetrics = z.looseObject({ resourceMetrics: z.array(z.unknown()).default([]) })
const otlpTraces = z.looseObject({ resourceSpans: z.array(z.unknown()).default([]) })
/** What OTLP exporters expect. */
const otlpAnswer = z.object({ partialSuccess: z.object({}).optional() })

export const usageRoutes = {
  getUsage: defineRoute({
    method: 'GET',
    path: '/api/usage',
    summary: 'Tokens and cost of assistants, runs, hosted agents and observers on this machine.',
    access: 'local',
    why: 'Reading is open on loopback: other origins and host names are already refused.',
    query: usageQuery,
    answer: usageReport,
  }),
  getMetrics: defineRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Tokens, cost, windows and budgets as Prometheus metrics.',
    access: 'local',
    why: 'Reading is open on loopback: other origins and host names are already refused.',
    answer: 'bytes',
  }),
  receiveOtlpLogs: defineRoute({
    method: 'POST',
    path: '/v1/logs',
    summary: 'OTLP logs of assistants: counts calls of sessions without a transcript here.',
    access: 'local',
    why: 'Exporters of assistants send no token; a call only adds to the usage that is shown.',
    body: otlpLogs,
    takesOtlp: 'logs',
    maxBodyBytes: LIMITS.daemonPushBytes,
    answer: otlpAnswer,
  }),
  receiveOtlpMetrics: defineRoute({
    method: 'POST',
    path: '/v1/metrics',
    summary: 'OTLP metrics of assistants: counts tokens of sessions without a transcript or logs.',
    access: 'local',
    why: 'Exporters of assistants send no token; a call only adds to the usage that is shown.',
    body: otlpMetrics,
    takesOtlp: 'metrics',
    maxBodyBytes: LIMITS.daemonPushBytes,
    answer: otlpAnswer,
  }),
  receiveOtlpTraces: defineRoute({
    method: 'POST',
    path: '/v1/traces',
    summary: 'OTLP traces of assistants: accepted and dropped, so that exporters report no errors.',
    access: 'local',
    why: 'Exporters of assistants send no token; nothing is stored.',
    body: otlpTraces,
    takesOtlp: 'traces',
    maxBodyBytes: LIMITS.daemonPushBytes,
    answer: otlpAnswer,
  }),
}
