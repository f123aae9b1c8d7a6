import { createOfflineClient } from '@steward/models'
import { expect, it } from 'vitest'
import { createOfflineModel } from './offline-model.ts'

const here = createOfflineClient()
const patient = createOfflineModel({ limitMs: 60_000 })
/** The limit elapses as soon as a thread has the prompt. */
const impatient = createOfflineModel({
  startTimer: (_, elapse) => {
    const timer = setImmediate(elapse)
    return () => clearImmediate(timer)
  },
})
const text = Array.from(
  { length: 400 },
  (_, at) => `The tide of day ${at} rose by ${(at * 7) % 31} centimetres and fell again at noon.`,
).join(' ')
const schema = {
  type: 'object',
  properties: { summary: { type: 'string' }, about_the_tide: { type: 'boolean' } },
  required: ['summary', 'about_the_tide'],
}

it('answers the same in a thread, as text and by a schema', async () => {
  expect(text.length).toBeGreaterThan(16 * 1024)
  for (const options of [{}, { schema }]) {
    expect(await patient.call(text, options)).toEqual(await here.call(text, options))
  }
})

it('gives the same error', async () => {
  const options = {
    schema: { type: 'object', properties: { a: { minLength: 1e6 } }, required: ['a'] },
  }
  const errorOf = (client: typeof here) =>
    client.call(text, options).catch(({ code, message }) => [code, message])
  expect(await errorOf(patient)).toEqual(await errorOf(here))
})

it('answers short prompts directly, and refuses one that takes longer than its limit', async () => {
  expect(await impatient.call('The tide rose. It fell again.')).toMatchObject({ cost: 0 })
  await expect(impatient.call(text)).rejects.toMatchObject({ code: 'rejected_content' })
})

it('passes an abort on', async () => {
  const stop = new AbortController()
  const answering = patient.call(text, { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(answering).rejects.toThrow('enough')
})
