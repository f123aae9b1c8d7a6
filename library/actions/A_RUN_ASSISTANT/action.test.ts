import type { AssistantOutcome, JsonObject } from '@steward/contract'
import { expect, test } from 'vitest'
import { runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const DONE: AssistantOutcome = {
  ...{ session: 's-1', state: 'idle', reason: null, answer: 'Done.', folder: '/w', branch: 'b' },
  ...{
    commit: 'c0ffee',
    patch: null,
    diffStat: ' a.txt | 1 +',
    diff: '+a',
    outside: [],
    costUsd: 0.2,
  },
  ...{ check: { command: 'npm test', ok: false, output: 'red' }, turns: 1, toolCalls: 3 },
}
const settings = { assistant: 'claude', project: '/p' }

const run = (input: JsonObject, ...outcomes: Array<Partial<AssistantOutcome>>) => {
  const tasks: JsonObject[] = []
  const assistant = async (task: JsonObject) => {
    tasks.push(task)
    return { ...DONE, ...outcomes[tasks.length - 1] }
  }
  return { tasks, answer: runAction(manifest, action, input, { capabilities: { assistant } }) }
}

test('hands the task on and returns what the session left', async () => {
  const { tasks, answer } = run({ prompt: ' Fix it. ', settings, allow: ['execute'] })
  expect(await answer).toMatchObject({
    ...{ answer: 'Done.', session: 's-1', branch: 'b', diff: '+a', cost_usd: 0.2 },
    changes: ['a.txt | 1 +'],
    ...{ check_passed: false, check_output: 'red', tool_calls: 3 },
  })
  // A field of the item never becomes a setting.
  expect(tasks).toEqual([{ ...settings, prompt: 'Fix it.' }])
})

test('answers by schema, and asks once more in the same session if the answer does not fit', async () => {
  const schema = { risk: { type: 'string', enum: ['low', 'high'] }, files: 'integer' }
  const wrong = { answer: 'So:\n```json\n{"risk": "low", "files": "two"}\n```' }
  const { tasks, answer } = run({ prompt: 'Review.', settings, schema }, wrong, {
    answer: 'Sorry. {"risk":"low","files":2}',
  })
  expect(await answer).toMatchObject({ risk: 'low', files: 2, session: 's-1' })
  expect(tasks).toMatchObject([
    { prompt: expect.stringContaining('"enum":["low","high"]') },
    { session: 's-1', prompt: expect.stringContaining('files must be of type integer') },
  ])
  const never = run({ prompt: 'Review.', settings, schema }, wrong, { answer: 'It is {fine}.' })
  await expect(never.answer).rejects.toMatchObject({
    code: 'assistant_malformed',
    message: 'session s-1 of claude did not answer as its schema requires: it has no JSON object',
  })
  expect(never.tasks).toHaveLength(2)
})

test('keeps the branch and the diff of the work that a session without changes reviewed', async () => {
  const earlier = {
    branch: 'b',
    commit: 'c',
    diff: '+a',
    diff_stat: 'a | 1 +',
    changes: ['a | 1 +'],
  }
  const reading = { branch: null, commit: null, diff: '', diffStat: '' }
  const review = await run({ prompt: 'Review {diff}', settings, ...earlier }, reading).answer
  expect(review).toMatchObject(earlier)
  const alone = await run({ prompt: 'Look.', settings }, reading).answer
  expect(alone).toMatchObject({ branch: '', commit: '', diff: '', diff_stat: '', changes: [] })
})

test('fails if the session did, and says which one', async () => {
  const stopped = run({ prompt: 'x', settings }, { state: 'stopped', reason: 'limit reached' })
  await expect(stopped.answer).rejects.toMatchObject({
    code: 'assistant_stopped',
    message: 'session s-1 of claude stopped: limit reached',
  })
  const failed = run({ prompt: 'x', settings }, { state: 'failed', reason: 'no network' })
  await expect(failed.answer).rejects.toMatchObject({ code: 'assistant_failed' })
  const empty = run({ prompt: ' ', settings })
  await expect(empty.answer).rejects.toMatchObject({ code: 'rejected_content' })
})
