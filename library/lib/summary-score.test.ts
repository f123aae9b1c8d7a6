import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findKeyTerms } from './key-terms.ts'
import { scoreSummary } from './summary-score.ts'

const TEXT =
  'Glaciers store fresh water. Glaciers move slowly, and moving glaciers grind rock into flour. ' +
  'The flour of rock colours lakes. Lakes below glaciers are often turquoise because rock flour scatters light.'

test('key terms are the most frequent ones, with forms of a word counted together', () => {
  expect(findKeyTerms(TEXT, 3).map(({ word }) => word)).toEqual(['glaciers', 'rock', 'flour'])
  expect(findKeyTerms('move moving moves moved', 1)).toMatchObject([{ weight: 4 }])
})

test('a summary that covers more scores higher, and reports what is missing', () => {
  const thin = scoreSummary('Water is stored somewhere.', TEXT)
  const full = scoreSummary(
    'Glaciers move slowly and grind rock into flour; the flour of rock scatters light and colours the lakes below turquoise, while the ice stores fresh water.',
    TEXT,
  )
  expect(full.score).toBeGreaterThan(thin.score)
  expect(thin.missing.map(({ word }) => word)).toContain('glaciers')
  expect(full.missing.map(({ word }) => word)).not.toContain('glaciers')
})

test('a summary longer than wanted loses points', () => {
  const long = `${TEXT} `.repeat(20)
  expect(scoreSummary(long, long).score).toBeLessThan(scoreSummary(TEXT, long).score)
})

test('any two texts give a score from 0 to 100, and always the same', () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 80 }), fc.string({ unit: 'grapheme' }), (content, summary) => {
      const { score } = scoreSummary(summary, content)
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(100)
      expect(scoreSummary(summary, content).score).toBe(score)
    }),
  )
})
