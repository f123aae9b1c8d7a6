import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packWeights, unpackWeights } from './pack-weights.ts'
import { WEIGHTS } from './weights.ts'

it('packed weights are read back', () => {
  const weights = new Map([
    [0, [[0, 1] as const, [17, -12] as const]],
    [7, [[5, 3] as const]],
    [16_383, [[2, 4] as const, [5, -1] as const, [6, 300] as const]],
  ])
  expect(unpackWeights(packWeights(weights))).toEqual(weights)
})

it('the weights that are committed are the same after another round', () => {
  const weights = unpackWeights(WEIGHTS)
  expect(weights.size).toBeGreaterThan(1000)
  expect(packWeights(weights)).toBe(WEIGHTS)
})

it('the weights that are committed take at most 16 KB', () => {
  expect(statSync(join(import.meta.dirname, 'weights.ts')).size).toBeLessThanOrEqual(16_384)
})
