import { expect, it } from 'vitest'
import { isRefusal } from './refusal.ts'
import { LOOK_ALIKES, REFUSALS } from './testing/refusals.ts'

/** Every third answer was held back while the patterns were written. */
const isHeldBack = (_: string, index: number): boolean => index % 3 === 2
const isKnown = (text: string, index: number): boolean => !isHeldBack(text, index)

const missed = (texts: readonly string[]) => texts.filter((text) => !isRefusal(text))
const mistaken = (texts: readonly string[]) => texts.filter(isRefusal)

it('recognises refusals in prose', () => {
  expect(missed(REFUSALS.filter(isKnown))).toEqual([])
})

it('takes no answer for a refusal because of how it begins', () => {
  expect(mistaken(LOOK_ALIKES.filter(isKnown))).toEqual([])
})

it('does as well with answers that it was not written for', () => {
  // At first sight: 22 of 22 refusals, 21 of 22 look-alikes.
  const refusals = REFUSALS.filter(isHeldBack)
  const others = LOOK_ALIKES.filter(isHeldBack)
  expect(missed(refusals)).toEqual([])
  expect(mistaken(others)).toEqual([])
})

it('needs a time that grows with the length of the answer at most', () => {
  for (const part of [
    'sorry ',
    "I'm sorry, but ",
    'unfortunately I can not ',
    '"',
    '* ',
    '对不起',
  ]) {
    expect(isRefusal(part.repeat(100_000))).toBe(false)
  }
})
