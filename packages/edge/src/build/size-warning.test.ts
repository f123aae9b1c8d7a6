import { expect, test } from 'vitest'
import { sizeWarning } from './size-warning.ts'

test('a bundle is compared with the limits of the plans', () => {
  expect(sizeWarning('A_X_Y', 3_000_000)).toBeUndefined()
  expect(sizeWarning('A_X_Y', 3_100_000)).toContain(
    '3.1 MB compressed, above the 3 MB of the free plan',
  )
  expect(sizeWarning('A_X_Y', 11_000_000)).toContain('cannot be deployed')
})
