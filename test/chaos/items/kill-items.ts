import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { startEdgeVictim } from './edge-victim.ts'
import { isUnwanted, type Received, serveItems } from './item-servers.ts'
import { startDaemon, startRunner } from './local-victims.ts'
import { createItemWorld, type StartVictim, type Stored, type Victim } from './victim.ts'

export const VICTIMS = {
  runner: startRunner,
  daemon: startDaemon,
  edge: startEdgeVictim,
} as const satisfies Record<string, StartVictim>
export type VictimName = keyof typeof VICTIMS

export interface KillReport {
  violations: string[]
  kills: number
  items: number
  /** Requests that were sent again because the kill came before their answer was on disk. */
  repeated: { calls: number; deliveries: number }
  /** Steps that were under way at a kill and begun again, as the history shows them. */
  begunAgain: number
}

export interface KillOptions {
  victim: VictimName
  kills: number
  random: Random
}

const MOST_RUNS_PER_KILL = 4
const MOST_LAST_RUNS = 30

/**
 * Kills the program that runs a flow at moments that the random numbers choose, while its
 * destination fails in bursts and its feed gets new items. Afterwards every item must have been
 * delivered once, or rejected with a reason, after one paid model call per step.
 */
export const killItems = async (options: KillOptions): Promise<KillReport> => {
  const { random } = options
  const servers = await serveItems(random)
  const world = createItemWorld(servers)
  const victim = VICTIMS[options.victim](world, random)
  const violations: string[] = []
  const repeated = { calls: 0, deliveries: 0 }
  const check = { calls: createCheck('asked for'), deliveries: createCheck('delivered') }
  const compare = (): void => {
    for (const kind of ['calls', 'deliveries'] as const) {
      const found = check[kind](servers[kind])
      violations.push(...found.violations)
      repeated[kind] += found.repeated
    }
  }
  const remember = ({ answers, deliveries }: Stored): void => {
    check.calls.remember(answers)
    check.deliveries.remember(deliveries)
  }
  let kills = 0
  let wasKilled = false
  const beginLife = (): void => {
    if (wasKilled) servers.beginLife()
    wasKilled = false
  }
  const runAndKill = async (): Promise<void> => {
    let killing: Promise<boolean> | undefined
    const kill = (afterMs: number): void => {
      killing ??= delay(afterMs).then(async () => {
        const isKilled = await victim.kill()
        if (isKilled) servers.beginLife()
        return isKilled
      })
    }
    let left = random.below(12)
    // Without any request so far, the kill hits the start or the reading of the source.
    if (left === 0) kill(random.below(800))
    servers.onEvent(() => {
      if (--left <= 0) kill(random.below(30))
    })
    await victim.run(beginLife)
    servers.onEvent(() => undefined)
    if (!(await killing)) return
    kills++
    wasKilled = true
    compare()
    remember(victim.stored())
  }
  try {
    for (let runs = 0; kills < options.kills; runs++) {
      if (runs > options.kills * MOST_RUNS_PER_KILL) throw new Error('too few runs could be killed')
      servers.addItems(1 + random.below(3))
      await runAndKill()
    }
    servers.heal()
    const ends = await runToTheEnd(victim, servers.items, beginLife)
    compare()
    violations.push(
      ...servers.items.flatMap((item) => judge(item, ends.get(item), servers, victim.hasKeys)),
    )
    const { begunAgain } = victim.stored()
    return { violations, kills, items: servers.items.length, repeated, begunAgain }
  } finally {
    await victim.close()
    servers.close()
    world.remove()
  }
}

type Ends = Map<string, { state: string; error: string | null }>

const runToTheEnd = async (
  victim: Victim,
  items: readonly string[],
  onBegin: () => void,
): Promise<Ends> => {
  let ends: Ends = new Map()
  for (let run = 0; run < MOST_LAST_RUNS; run++) {
    await victim.run(onBegin)
    ends = new Map((await victim.items()).map(({ id, ...end }) => [id, end]))
    if (items.every((item) => isFinal(ends.get(item)?.state))) break
  }
  return ends
}

const isFinal = (state: string | undefined): boolean =>
  state === 'delivered' || state === 'rejected'

interface Requests {
  calls: readonly Received[]
  deliveries: readonly Received[]
}

const STEPS = ['SUMMARISE', 'JUDGE']

const judge = (
  item: string,
  end: { state: string; error: string | null } | undefined,
  received: Requests,
  hasKeys: boolean,
): string[] => {
  const wanted = isUnwanted(item) ? 'rejected' : 'delivered'
  const state = end?.state ?? 'unknown'
  const countOf = (what: string, requests: readonly Received[]): number =>
    new Set(requests.filter((each) => each.what === what).map(({ key }) => key)).size
  const deliveries = countOf(item, received.deliveries)
  return [
    ...(state === wanted ? [] : [`${item} is ${state} instead of ${wanted}: ${end?.error}`]),
    ...(state === 'rejected' && !end?.error ? [`${item} is rejected without a reason`] : []),
    ...(deliveries === (isUnwanted(item) ? 0 : 1)
      ? []
      : [`${item} was delivered ${deliveries} times`]),
    ...STEPS.flatMap((step) => {
      const what = `${item} ${step}`
      const calls = received.calls.filter((call) => call.what === what)
      if (calls.length === 0) return [`${what} was never asked for`]
      if (!hasKeys) return []
      const keys = new Set(calls.map(({ key }) => key))
      return keys.size === 1 && !keys.has('') ? [] : [`${what} was paid for ${keys.size} times`]
    }),
  ]
}

/**
 * Compares requests with what was on disk at the last kill: what was there must not be asked for
 * again, and between two kills nothing is asked for twice.
 */
const createCheck = (verb: string) => {
  let seen = 0
  let stored: ReadonlySet<string> = new Set()
  const known = new Set<string>()
  const check = (received: readonly Received[]): { violations: string[]; repeated: number } => {
    const violations: string[] = []
    let repeated = 0
    const inThisLife = new Set<string>()
    for (const { what, life } of received.slice(seen)) {
      if (stored.has(what)) violations.push(`${what} was ${verb} although it was on disk`)
      else if (inThisLife.has(`${life} ${what}`))
        violations.push(`${what} was ${verb} twice in one life`)
      else if (known.has(what)) repeated++
      inThisLife.add(`${life} ${what}`)
      known.add(what)
    }
    seen = received.length
    return { violations, repeated }
  }
  return Object.assign(check, {
    remember: (now: ReadonlySet<string>) => {
      stored = now
    },
  })
}
