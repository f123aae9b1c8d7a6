import { expect, test } from 'vitest'
import { runAction, scriptModel } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const ask = (input: Record<string, unknown>, ...answers: Parameters<typeof scriptModel>) => {
  const { llm, calls } = scriptModel(...answers)
  return { calls, answer: runAction(manifest, action, input, { capabilities: { llm } }) }
}

test('passes the question on and returns the answer and its model', async () => {
  const { calls, answer } = ask({ prompt: ' What is due? ', tier: 'fast' }, 'Nothing.')
  expect(await answer).toMatchObject({ answer: 'Nothing.', model: expect.any(String) })
  expect(calls[0]).toMatchObject({ prompt: 'What is due?', options: { tier: 'fast' } })
})

test('answers with the fields of a schema, in its short or long form', async () => {
  const json = { relevant: true, why: 'It is.' }
  const short = ask({ prompt: 'Is it?', schema: { relevant: 'boolean', why: 'string' } }, json)
  expect(await short.answer).toMatchObject({ ...json, answer: JSON.stringify(json) })
  const schema = {
    type: 'object',
    properties: { relevant: { type: 'boolean' }, why: { type: 'string' } },
    required: ['relevant', 'why'],
    additionalProperties: false,
  }
  expect(short.calls[0]).toMatchObject({ options: { schema } })
  const long = ask({ prompt: 'Is it?', schema }, json)
  expect(await long.answer).toMatchObject({ relevant: true })
  expect(long.calls[0]).toMatchObject({ options: { schema } })
  const prose = ask({ prompt: 'Is it?', schema }, 'Yes.')
  await expect(prose.answer).rejects.toMatchObject({ code: 'model_malformed' })
})

test('refuses an empty question and an unknown tier, and rejects an empty answer', async () => {
  await expect(ask({ prompt: ' ' }, 'x').answer).rejects.toMatchObject({ code: 'rejected_content' })
  await expect(ask({ prompt: 'x', tier: 'best' }, 'x').answer).rejects.toThrow("tier is 'best'")
  await expect(ask({ prompt: 'x' }, ' ').answer).rejects.toMatchObject({ code: 'model_malformed' })
})
