import {
  type LlmAnswer,
  llmAnswer,
  type ModelProvider,
  type Spend,
  StewardError,
} from '@steward/contract'

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

/**
 * What a failed model call cost, as an answer without a text: a refusal or an invalid answer.
 * Undefined if no answer was received.
 */
export const paidFailure = (
  thrown: unknown,
  { provider }: { provider: ModelProvider },
): LlmAnswer | undefined => {
  if (!(thrown instanceof StewardError)) return undefined
  const { usage, cost, model } = thrown.details
  const paid = llmAnswer.safeParse({ text: '', usage, cost, model: model ?? provider, provider })
  return paid.success ? paid.data : undefined
}
