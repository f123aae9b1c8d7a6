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
  const { tasks, answer } = run({ prompt: ' Write it. ', settings, agent: 'other' })
  expect(await answer).toMatchObject({
    answer: 'Done.',
    session: 'sesn_1',
    files: DONE.files,
    cost_usd: 0,
  })
  // A field of the item never becomes a setting.
  expect(tasks).toEqual([{ ...settings, prompt: 'Write it.' }])
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
