import type { LlmAnswer, Spend } from '@steward/contract'
import { sumSpend } from '../history/spend.ts'

export const NO_SPEND: Spend = sumSpend([])

/** One more call on the bill. An unknown price makes the whole unknown, never zero. */
export const addAnswer = (spend: Spend, { usage, cost, model }: LlmAnswer): Spend =>
  sumSpend([
    spend,
    { calls: 1, inputTokens: usage.input, outputTokens: usage.output, cost, models: [model] },
  ])
