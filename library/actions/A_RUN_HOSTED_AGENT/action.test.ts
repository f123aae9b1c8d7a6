import type { HostedAgentOutcome, JsonObject } from '@steward/contract'
import { expect, test } from 'vitest'
import { runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const DONE: HostedAgentOutcome = {
  session: 'sesn_1',
  stop: 'end_turn',
  answer: 'Done.',
  files: [{ id: 'file_1', name: 'report.md', bytes: 12 }],
  costUsd: null,
}
const settings = { agent: 'writer', environment: 'office' }

const run = (input: JsonObject, outcome: Partial<HostedAgentOutcome> = {}) => {
  const tasks: JsonObject[] = []
  const hostedAgent = async (task: JsonObject) => {
    tasks.push(task)
    return { ...DONE, ...outcome }
  }
  return { tasks, answer: runAction(manifest, action, input, { capabilities: { hostedAgent } }) }
}

test('hands the task on and returns answer, files and cost', async () => {
  const input = { prompt: ' Write it. ', settings, agent: 'other' }
  const { tasks, answer } = run(input, { costUsd: 0.42 })
  expect(await answer).toEqual({
    ...{ prompt: ' Write it. ', settings, agent: 'other' },
    answer: 'Done.',
    session: 'sesn_1',
    files: DONE.files,
    cost: '$0.42',
    cost_usd: 0.42,
  })
  // A field of the item never becomes a setting.
  expect(tasks).toEqual([{ ...settings, prompt: 'Write it.' }])
})

test.each([
  [null, { cost: 'unknown' }],
  [0, { cost: '$0.00', cost_usd: 0 }],
  [0.0004, { cost: 'less than $0.01', cost_usd: 0.0004 }],
])('describes a cost of %s without a false zero', async (costUsd, expected) => {
  const { cost, cost_usd } = await run({ prompt: 'Write it.', settings }, { costUsd }).answer
  expect(cost_usd === undefined ? { cost } : { cost, cost_usd }).toEqual(expected)
})

test('fails with the reason if the turn did not end by itself', async () => {
  const { answer } = run({ prompt: 'Write it.', settings }, { stop: 'budget_reached' })
  await expect(answer).rejects.toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('session sesn_1 stopped: budget_reached'),
  })
  await expect(run({ prompt: ' ', settings }).answer).rejects.toMatchObject({
    code: 'rejected_content',
  })
})
