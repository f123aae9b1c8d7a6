import { expect, it } from 'vitest'
import { createRandom } from '../../../../test/chaos/random.ts'
import { killDeliveries } from './testing/kill-deliveries.ts'

it('kill -9 at any moment, destination failing in bursts: each item is delivered and paid once', async () => {
  const { below } = createRandom(20261116)
  expect(await killDeliveries({ kills: 6, below })).toEqual([])
}, 300_000)
