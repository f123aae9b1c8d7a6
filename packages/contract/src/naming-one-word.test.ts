import { expect, test } from 'vitest'
import { nameOfWorker, parseName, workerName } from './naming.ts'

test('the one action with a single-word name in the design is valid, with its own worker', () => {
  expect(parseName('A_SUMMARIZE')).toMatchObject({ ok: true, value: { words: ['SUMMARIZE'] } })
  expect(nameOfWorker(workerName('A_SUMMARIZE'))).toEqual({ ok: true, value: 'A_SUMMARIZE' })
})

test('a typo of it is recognised', () => {
  expect(parseName('A_SUMARIZE')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('did you mean A_SUMMARIZE?') },
  })
})

test('any other single word is still refused', () => {
  expect(parseName('A_TRANSLATE')).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('2 to 4 words after A_, and this has 1') },
  })
})
