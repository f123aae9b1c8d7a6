import { expect, it } from 'vitest'
import { packWeights, unpackWeights } from './pack-weights.ts'

it('packed weights are read back, without features that decide nothing', () => {
  const features = new Map([
    ['valid', [[2, 4] as const, [5, -1] as const]],
    ['validate', [[0, 1] as const, [17, -12] as const]],
    ['^add', [[5, 3] as const]],
    ['the', []],
  ])
  const text = packWeights(features)
  expect(text.split('\n')).toEqual(['0^add f3', '0valid c4F', '5ate aR12'])
  features.delete('the')
  expect(unpackWeights(text)).toEqual(features)
})
