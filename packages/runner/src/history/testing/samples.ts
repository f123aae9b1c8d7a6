import type { LlmAnswer, Spend } from '@steward/contract'
import type { Advance, NewRun } from '../history.ts'
import { newRunId } from '../run-id.ts'

export const T0 = Date.UTC(2026, 10, 15, 9)
export const NO_SPEND: Spend = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] }

export const sampleRun = (changes: Partial<NewRun> = {}): NewRun => ({
  id: newRunId(T0),
  primitive: 'pipeline',
  name: 'P_LABEL_AND_RATE',
  definition: { version: '1.0.0', hash: 'abc', body: { actions: ['A_ONE_STEP', 'A_TWO_STEPS'] } },
  input: { content: 'a storm' },
  startedAt: T0,
  firstStep: { index: 0, action: 'A_ONE_STEP', startedAt: T0 },
  ...changes,
})

/** A step's end with this output, then the next step's start or the run's end. */
export const sampleAdvance = (
  runId: string,
  index: number,
  output: Record<string, unknown>,
  then: 'next' | 'end',
): Advance => {
  const endedAt = T0 + (index + 1) * 10
  return {
    runId,
    done: { index, endedAt, outcome: { output }, spend: NO_SPEND, isolation: null },
    ...(then === 'end'
      ? { finished: { status: 'completed', endedAt } }
      : { next: { index: index + 1, action: 'A_TWO_STEPS', startedAt: endedAt } }),
  }
}

export const sampleFailure = (runId: string, index: number): Advance => {
  const error = { code: 'timeout', message: 'took too long', retryable: true }
  const endedAt = T0 + 50
  return {
    runId,
    done: { index, endedAt, outcome: { error }, spend: NO_SPEND, isolation: null },
    finished: { status: 'failed', endedAt, error },
  }
}

export const sampleAnswer = (changes: Partial<LlmAnswer> = {}): LlmAnswer => ({
  text: 'yes',
  usage: { input: 10, output: 2 },
  cost: 0.25,
  model: 'model-a',
  provider: 'anthropic',
  ...changes,
})
