import { z } from 'zod'
import { HOSTS } from '../host-event.ts'
import { defineRoute } from './route.ts'

export const USAGE_KEYS = [
  'day',
  'week',
  'month',
  'session',
  'project',
  'model',
  'assistant',
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

export const usageRow = usageSum.extend({ key: z.string() })
export type UsageRow = z.infer<typeof usageRow>

export const usageQuery = z.object({
  by: z.enum(USAGE_KEYS).default('day'),
  /** Calls from this day on, in the time zone of the machine. */
  since: z.iso.date().optional(),
  /** Calls up to and including this day. */
  until: z.iso.date().optional(),
  /** A part of the project's path. */
  project: z.string().min(1).max(500).optional(),
  /** An assistant, or one of runs, hosted and observers. */
  assistant: z.enum(USAGE_ORIGINS).optional(),
})
export type UsageQuery = z.infer<typeof usageQuery>

export const usageReport = z.object({
  rows: z.array(usageRow),
  total: usageSum,
  /** Models without a known price, most used first. */
  unpriced_models: z.array(z.string()),
  /** Files and bytes read so far, while the assistants' history is being imported. */
  import: z.object({ done: count, total: count, bytes: count }).nullable(),
  /** Files that could not be read, with the reason. */
  problems: z.array(z.string()),
})
export type UsageReport = z.infer<typeof usageReport>

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
}
