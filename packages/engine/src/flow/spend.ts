import type { LlmAnswer, Spend } from '@steward/contract'

/** The sum of several; the cost is unknown as soon as one of them is. */
export const sumSpend = (parts: readonly Spend[]): Spend => ({
  calls: parts.reduce((sum, { calls }) => sum + calls, 0),
  inputTokens: parts.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  outputTokens: parts.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  cost: parts.reduce<number | null>(
    (sum, { cost }) => (sum === null || cost === null ? null : sum + cost),
    0,
  ),
  models: [...new Set(parts.flatMap(({ models }) => models))].sort(),
})

export const NO_SPEND: Spend = sumSpend([])

/** Adds one call. An unknown price makes the total unknown, never zero. */
export const addAnswer = (spend: Spend, { usage, cost, model }: LlmAnswer): Spend =>
  sumSpend([
    spend,
    { calls: 1, inputTokens: usage.input, outputTokens: usage.output, cost, models: [model] },
  ])
