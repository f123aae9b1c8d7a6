import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearestHint, nearestName } from './nearest.ts'

const names = ['A_LABEL_AND_RATE', 'A_SEND_EMAIL', 'P_LABEL_AND_RATE']

test('a typo finds the intended name', () => {
  expect(nearestName('A_LABEL_AN_RATE', names)).toBe('A_LABEL_AND_RATE')
  expect(nearestName('a_send_mail', names)).toBe('A_SEND_EMAIL')
  expect(nearestHint('A_SEND_EMIAL', names)).toBe(' (did you mean A_SEND_EMAIL?)')
})

test('a name is never suggested to itself', () => {
  expect(nearestHint('A_SEND_EMAIL', ['A_SEND_EMAIL'])).toBe('')
  expect(nearestHint('A_SEND_EMAIL', ['A_SEND_EMAIL', 'A_SEND_MAIL'])).toContain('A_SEND_MAIL')
})

test('an unrelated word finds nothing', () => {
  expect(nearestHint('WEATHER', names)).toBe('')
  expect(nearestName('x', [])).toBeUndefined()
})

test('a candidate is nearest to itself', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string(), { minLength: 1, selector: (text) => text.toLowerCase() }),
      (all) => {
        for (const each of all) expect(nearestName(each, all)).toBe(each)
      },
    ),
  )
})
