import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createQuickFinder } from './quick-finder.ts'

it('finds every string that is there', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'abAB😀é'), minLength: 2, maxLength: 12 })
  fc.assert(
    fc.property(
      fc.array(letters, { minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom(...'abAB😀é'), maxLength: 60 }),
      (strings, text) => {
        const mayHoldOne = createQuickFinder(strings)
        if (strings.some((string) => text.includes(string))) expect(mayHoldOne(text)).toBe(true)
        for (const string of strings) expect(mayHoldOne(`${text}${string}${text}`)).toBe(true)
      },
    ),
  )
})

it('says no to a text without the start of any', () => {
  const mayHoldOne = createQuickFinder(['sk-live-1234', 'bearer-token'])
  expect(mayHoldOne('')).toBe(false)
  expect(mayHoldOne('short')).toBe(false)
  expect(mayHoldOne('a long text that has bearer and token and sk-liv apart '.repeat(99))).toBe(
    false,
  )
})
