/**
 * `npm run chaos [-- --seed N --minutes M | --rounds R] [--faults A,B] [--kills K] [--workers DIR]`:
 * kills, full disks, clock jumps and damage, one after the other on one data home; then, without
 * --rounds and --faults, ten minutes of 200 rows a second, 1,000 kills of the programs that run a
 * flow, 200 hosted sessions whose servers are killed, and a report. Exits 1 if anything that was
 * acknowledged is lost or doubled. The same seed gives the same faults in the same order.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import buildProgram from '../../scripts/testing/build-program.ts'
import { FAULTS } from './faults.ts'
import { EVERY_VICTIM, killMany } from './items/kill-many.ts'
import { killHosted } from './kill-hosted.ts'
import { createRandom } from './random.ts'
import { soakRows } from './soak-rows.ts'
import { createWorld } from './world.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    rounds: { type: 'string' },
    /** Workers that were built before; without them the first round of the local edge builds them. */
    workers: { type: 'string' },
    /** Names of faults, separated by commas; all of them by default. */
    faults: { type: 'string' },
    /** Kills of a runner, a daemon and a local edge that deliver items. */
    kills: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const minutes = Number(values.minutes)
const rounds = Number(values.rounds ?? Number.POSITIVE_INFINITY)
const isWhole = values.rounds === undefined && values.faults === undefined
const kills = Number(values.kills ?? (isWhole ? 1000 : 0))
const kinds = values.faults?.split(',') ?? Object.keys(FAULTS)
const unknown = kinds.filter((name) => !Object.hasOwn(FAULTS, name))
if (unknown.length > 0) {
  console.error(`unknown faults: ${unknown.join(', ')}; use ${Object.keys(FAULTS).join(', ')}`)
  process.exit(2)
}
if (!Number.isInteger(seed) || !(minutes > 0) || !(rounds > 0) || !(kills >= 0)) {
  console.error('--seed and --kills take a whole number, --minutes and --rounds a positive one')
  process.exit(2)
}

const SOAK_SECONDS = 600

// Compiled before the first fault: a full disk would keep the compiler from writing.
buildProgram()
const random = createRandom(seed)
const world = createWorld()
if (values.workers !== undefined) {
  cpSync(values.workers, join(world.folder, 'workers'), { recursive: true })
}
const startedMs = performance.now()
const elapsedMs = () => performance.now() - startedMs
const held = new Map<string, number>()
const violations: string[] = []
console.log(`seed ${seed}`)

/** Every kind of fault once per turn, in an order that the seed decides. */
const turn: string[] = []
let round = 0
try {
  while (round < rounds && elapsedMs() < minutes * 60_000) {
    if (turn.length === 0) turn.push(...kinds)
    const [name = ''] = turn.splice(random.below(turn.length), 1)
    round++
    const roundMs = performance.now()
    const found = await tryFault(name)
    const seconds = ((performance.now() - roundMs) / 1000).toFixed(1)
    console.log(
      `${round}. ${name}: ${found.length === 0 ? 'held' : found.join('; ')} (${seconds} s)`,
    )
    if (found.length === 0) held.set(name, (held.get(name) ?? 0) + 1)
    violations.push(...found.map((each) => `round ${round}, ${name}: ${each}`))
  }
} finally {
  if (values.keep) console.log(`kept ${world.folder}`)
  else world.remove()
}

if (isWhole) violations.push(...(await soakRows(SOAK_SECONDS)))
if (kills > 0) violations.push(...(await killMany(EVERY_VICTIM, kills, random)))
if (isWhole) violations.push(...killHosted())

async function tryFault(name: string): Promise<string[]> {
  try {
    return (await FAULTS[name]?.(world, random, round)) ?? []
  } catch (thrown) {
    return [`the round did not end: ${thrown instanceof Error ? thrown.message : String(thrown)}`]
  }
}

console.log(
  `\nReport for seed ${seed}: ${round} rounds and ${kills} kills of flows in ${(elapsedMs() / 60_000).toFixed(1)} minutes`,
)
for (const [name, count] of held) console.log(`  ${name}: held ${count} times`)
console.log(
  `  acknowledged: ${world.notes.size} notes, ${world.agents.size} hosted agents, ${world.edgeItems.size} edge items`,
)
for (const violation of violations) console.log(`  VIOLATED ${violation}`)
console.log(
  violations.length === 0
    ? 'Nothing acknowledged was lost or doubled.'
    : `${violations.length} violations`,
)
process.exitCode = violations.length === 0 ? 0 : 1
