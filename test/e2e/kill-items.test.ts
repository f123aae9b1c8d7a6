import { expect, it } from 'vitest'
import { killItems, type VictimName } from '../chaos/items/kill-items.ts'
import { createRandom } from '../chaos/random.ts'

/** A slice of `npm run chaos`, which kills a thousand times. */
it.each<[VictimName, number]>([
  ['runner', 4],
  ['daemon', 3],
  ['edge', 3],
])(
  'kill -9 of the %s at any moment: each item is delivered once and each model call is paid once',
  async (victim, kills) => {
    const random = createRandom(20261116)
    expect(await killItems({ victim, kills, random })).toMatchObject({ violations: [], kills })
  },
)
