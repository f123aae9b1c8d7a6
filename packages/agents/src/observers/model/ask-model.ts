import {
  isJsonObject,
  type LlmAnswer,
  type LlmOptions,
  reasonOf,
  StewardError,
} from '@steward/contract'
import type { Evidence } from '../evidence.ts'
import { promptOf, type Question, systemOf } from './prompt.ts'
import { ANSWER_SCHEMA, type ReadAnswer, readAnswer } from './read-answer.ts'

/** Asks a model. Rejects if there is no answer in time. */
export type AskModel = (prompt: string, options: LlmOptions) => Promise<LlmAnswer>

export interface ModelVote {
  answer: Exclude<ReadAnswer, { kind: 'look' }>
  model?: string
  /** Null if the model has no known price. */
  cost: number | null
}

const MAX_TOKENS = 250
const MAX_SHOWN_WHOLE = 5

/** One observer's vote by a model, with at most one request for whole rows. Never rejects. */
export const askModel = async (
  question: Question,
  known: readonly Evidence[],
  ask: AskModel,
): Promise<ModelVote> => {
  let cost: number | null = 0
  let model: string | undefined
  const ids = new Set(known.map(({ id }) => id))
  const call = async (details: readonly Evidence[]): Promise<ReadAnswer> => {
    const answer = await ask(promptOf({ ...question, details }), {
      tier: 'fast',
      system: systemOf(question.observer, question.fence),
      schema: ANSWER_SCHEMA,
      maxTokens: MAX_TOKENS,
    })
    model = answer.model
    cost = add(cost, answer.cost)
    return readAnswer(answer.json, ids)
  }
  const finish = (answer: ModelVote['answer']): ModelVote => ({
    answer,
    cost,
    ...(model === undefined ? {} : { model }),
  })
  try {
    const first = await call([])
    if (first.kind !== 'look') return finish(first)
    const wanted = known.filter(({ id }) => first.rows.includes(id)).slice(0, MAX_SHOWN_WHOLE)
    const second = await call(wanted)
    if (second.kind !== 'look') return finish(second)
    return finish({ kind: 'rejected', problem: 'it asked for more rows instead of voting' })
  } catch (thrown) {
    cost = add(cost, paidFor(thrown))
    return finish({ kind: 'rejected', problem: reasonOf(thrown) })
  }
}

const add = (sum: number | null, more: number | null): number | null =>
  sum === null || more === null ? null : sum + more

/** A failed call may still have been charged. */
const paidFor = (thrown: unknown): number | null => {
  const details =
    thrown instanceof StewardError && isJsonObject(thrown.details) ? thrown.details : {}
  return typeof details.cost === 'number' ? details.cost : 0
}
