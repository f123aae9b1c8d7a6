/**
 * `npm run chaos:items [-- --seed N --kills K]`: kills a flow's process while its destination fails in
 * bursts, 1,000 times by default. Exits 1 if an item is lost, or delivered or paid for twice.
 */
import { parseArgs } from 'node:util'
import { killDeliveries } from '../../packages/runner/src/flows/testing/kill-deliveries.ts'
import { createRandom } from './random.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string' }, kills: { type: 'string', default: '1000' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const kills = Number(values.kills)
if (!Number.isInteger(seed) || !(kills > 0)) {
  console.error('--seed takes a whole number, --kills a positive one')
  process.exit(2)
}
console.log(`seed ${seed}`)
const { below } = createRandom(seed)
/** Each slice has a data home of its own, so that the feed stays short. */
const SLICE = 25
const violations: string[] = []
for (let done = 0; done < kills; done += SLICE) {
  const slice = Math.min(SLICE, kills - done)
  const found = await killDeliveries({ kills: slice, below })
  console.log(`${done + slice} kills: ${found.length === 0 ? 'held' : found.join('; ')}`)
  violations.push(...found)
}
console.log(
  violations.length === 0
    ? 'Every item was delivered once after one model call.'
    : `${violations.length} violations`,
)
process.exitCode = violations.length === 0 ? 0 : 1
