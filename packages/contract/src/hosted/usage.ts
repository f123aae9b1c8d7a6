import { z } from 'zod'
import { moneyAmount } from './money.ts'

const count = z.number().int().nonnegative()

/** Total usage of a session. */
export const sessionUsage = z
  .object({
    input_tokens: count.optional(),
    output_tokens: count.optional(),
    cache_read_input_tokens: count.optional(),
    cache_creation: z
      .object({
        ephemeral_5m_input_tokens: count.optional(),
        ephemeral_1h_input_tokens: count.optional(),
      })
      .optional(),
    list_cost: moneyAmount.optional(),
    /** Time with at least one thread running; overlapping threads count once. */
    active_seconds: z.number().nonnegative().optional(),
    server_tool_use: z
      .object({ web_fetch_requests: count.optional(), web_search_requests: count.optional() })
      .optional(),
  })
  .meta({ id: 'SessionUsage' })
export type SessionUsage = z.infer<typeof sessionUsage>

export const SPEEDS = ['standard', 'fast'] as const

/** Usage of one model call. */
export const modelUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  speed: z.enum(SPEEDS).nullish(),
})
export type ModelUsage = z.infer<typeof modelUsage>
