import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256Hex } from './sha256.ts'

test('the same digest as the platform', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'))
    }),
  )
})

test.each([55, 56, 63, 64, 65, 119, 120, 128])('at the block boundary of %i bytes', (length) => {
  const text = 'a'.repeat(length)
  expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'))
})
