import { type Llm, StewardError } from '@steward/contract'
import type { CallOptions, ModelClient } from '../model-client.ts'
import type { Budget } from './budget.ts'

/** A client as an action's `llm`: every call reserves first and settles after. */
export const createBudgetedLlm =
  (
    client: ModelClient,
    budget: Budget,
    more: Pick<CallOptions, 'signal' | 'idempotencyKey'> = {},
  ): Llm =>
  async (prompt, options = {}) => {
    const reservation = budget.reserve(client.estimate(prompt, options).maxCost)
    try {
      const answer = await client.call(prompt, { ...options, ...more })
      budget.settle(reservation, answer.cost)
      return answer
    } catch (error) {
      budget.settle(reservation, costOfFailure(error))
      throw error
    }
  }

/** A refusal or an invalid answer also costs money; the error says how much. */
const costOfFailure = (error: unknown): number => {
  const cost = error instanceof StewardError ? error.details.cost : undefined
  return typeof cost === 'number' ? cost : 0
}
