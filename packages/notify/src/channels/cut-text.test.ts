import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanLine, cleanText } from './clean-text.ts'
import { cutToBytes, cutToUnits } from './cut-text.ts'
import { anyText, NASTY } from './testing/messages.ts'

test('a text that fits is unchanged', () => {
  expect(cutToUnits('12345', 5)).toBe('12345')
  expect(cutToBytes('äöü', 6)).toBe('äöü')
})

test('a longer text ends in an ellipsis and never inside a character', () => {
  expect(cutToUnits('123456', 5)).toBe('1234…')
  expect(cutToBytes('äöüä', 7)).toBe('äö…')
  const family = '👩‍👩‍👧‍👦'
  expect(cutToUnits(`ab${family}cd`, 8)).toBe('ab…')
  expect(cutToBytes(`ab${family}${family}`, 30)).toBe(`ab${family}…`)
  expect(cutToBytes(`ab${family}${family}`, 29)).toBe('ab…')
  expect(cutToUnits(`cafe\u0301s`, 5)).toBe('caf…')
})

test('any text is cut within its limit and stays well-formed', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 4, max: 60 }), (text, limit) => {
      const clean = cleanText(text)
      const bytes = cutToBytes(clean, limit)
      expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(limit)
      expect(cutToUnits(clean, limit).length).toBeLessThanOrEqual(limit)
      for (const cut of [bytes, cutToUnits(clean, limit)]) {
        expect(cut.isWellFormed()).toBe(true)
        expect(clean.startsWith(cut.replace(/…$/, '')) || cut === clean).toBe(true)
      }
    }),
  )
})

test('a line has no control character and no break; a text keeps its breaks', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(cleanLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(cleanText(text)).not.toMatch(/[^\P{Cc}\t\n]/u)
      expect(cleanLine(text).isWellFormed()).toBe(true)
    }),
  )
  expect(cleanText('a\r\nb\rc\nd\te\u001bf')).toBe('a\nb\nc\nd\tef')
  expect(cleanLine(' a\r\n\tb  c ')).toBe('a b c')
  expect(cleanLine(NASTY)).toContain('שלום')
})
