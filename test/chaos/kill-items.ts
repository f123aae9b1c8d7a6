/**
 * `npm run chaos:items [-- --seed N --kills K --victims runner,daemon,edge]`: only the part of
 * `npm run chaos` that kills whatever runs a flow while its destination fails in bursts, 1,000 times
 * by default. Exits 1 if an item is lost, or delivered or paid for twice.
 */
import { parseArgs } from 'node:util'
import buildProgram from '../../scripts/testing/build-program.ts'
import { EVERY_VICTIM, isVictim, killMany } from './items/kill-many.ts'
import { createRandom } from './random.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    kills: { type: 'string', default: '1000' },
    victims: { type: 'string', default: EVERY_VICTIM.join(',') },
  },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const kills = Number(values.kills)
const victims = values.victims.split(',').filter(isVictim)
if (!Number.isInteger(seed) || !(kills > 0) || victims.length === 0) {
  console.error(
    `--seed takes a whole number, --kills a positive one, --victims ${EVERY_VICTIM.join(',')}`,
  )
  process.exit(2)
}
buildProgram()
console.log(`seed ${seed}`)
const violations = await killMany(victims, kills, createRandom(seed))
process.exitCode = violations.length === 0 ? 0 : 1
