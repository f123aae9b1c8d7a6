import type { Random } from '../random.ts'
import { killItems, VICTIMS, type VictimName } from './kill-items.ts'

/** Each slice has a data home of its own, so that the feed stays short. */
const SLICE = 25
const SHOWN = 5

export const isVictim = (name: string): name is VictimName => Object.hasOwn(VICTIMS, name)
export const EVERY_VICTIM = Object.keys(VICTIMS).filter(isVictim)

/** Kills the victims in turns, this many times together, and prints a line for each slice. */
export const killMany = async (
  victims: readonly VictimName[],
  kills: number,
  random: Random,
): Promise<string[]> => {
  const violations: string[] = []
  const totals = { items: 0, calls: 0, deliveries: 0 }
  for (let done = 0, slice = 0; done < kills; slice++) {
    const victim = victims[slice % victims.length] ?? 'runner'
    const startedMs = performance.now()
    const found = await killItems({ victim, kills: Math.min(SLICE, kills - done), random })
    done += found.kills
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
    const { calls, deliveries } = found.repeated
    console.log(
      `${done} kills (${victim}, ${found.items} items, ${seconds} s): ${describe(found.violations)}; ` +
        `repeated because the kill came before the answer was on disk: ${calls} model calls, ${deliveries} deliveries; steps begun again: ${found.begunAgain}`,
    )
    violations.push(...found.violations.map((each) => `killed ${victim}: ${each}`))
    totals.items += found.items
    totals.calls += calls
    totals.deliveries += deliveries
  }
  console.log(
    `${kills} kills, ${totals.items} items, ${violations.length} violations, ` +
      `${totals.calls} repeated model calls, ${totals.deliveries} repeated deliveries`,
  )
  return violations
}

const describe = (found: readonly string[]): string =>
  found.length === 0 ? 'held' : `${found.length} violations: ${found.slice(0, SHOWN).join('; ')}`
