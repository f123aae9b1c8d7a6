import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { flowSchedule, settings as settingsShape } from '@steward/contract'
import { createRedactor, ensureHome, type Home, resolveHome } from '@steward/platform'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { RequestedWork, ScheduledFlow, WorkOutcome } from '../../ports.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createAssistantModule } from './assistant-module.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** No step may contain two timers of one scheduler. */
const STEP = 5000
/** Of the scheduler and of the diary. */
const MODULE_TIMERS = 2

const homes: Home[] = []
let home: Home
beforeEach(() => openHome())
afterEach(() => {
  for (const { root } of homes.splice(0)) rmSync(root, { recursive: true, force: true })
})
const openHome = async (): Promise<void> => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-schedules-')) })
  homes.push(home)
  await ensureHome(home)
}

const flowOf = (name: string, schedule: object): ScheduledFlow => ({
  id: name.toLowerCase(),
  name,
  schedule: flowSchedule.parse(schedule),
  sourceType: 'rss',
})

/** A machine whose clock can sleep, be set and on which the daemon can be killed. */
const createMachine = (startMs: number, flows: readonly ScheduledFlow[], runMs: number) => {
  const clock = createVirtualClock()
  let offsetMs = startMs
  let generation = 0
  /** Runs by idempotency key, as the run history keeps them. */
  const runs = new Map<string, 'begun' | 'done'>()
  const ended: string[] = []
  const lines: string[] = []
  const state = { flows }
  const performing = new Set<string>()
  let timers = 0
  /** Opened when the module has created it. */
  let database: DatabaseSync | undefined

  const boot = () => {
    const own = ++generation
    timers = 0
    performing.clear()
    const say = (line: string) => lines.push(line)
    const log = { info: say, warn: say, error: say }
    /** A killed process neither continues its work nor fires its timers. */
    const setTimer = (ms: number, action: () => void) => {
      let isPending = own === generation
      if (isPending) timers++
      const release = () => {
        if (isPending && own === generation) timers--
        isPending = false
      }
      const cancel = clock.setTimer(ms, () => {
        release()
        if (own === generation) action()
      })
      return () => {
        release()
        cancel()
      }
    }
    const perform = async (work: RequestedWork, signal: AbortSignal): Promise<WorkOutcome> => {
      if (work.type !== 'flow') throw new Error('only flows are performed')
      if (runs.get(work.key) === 'done') return { detail: 'done before' }
      runs.set(work.key, 'begun')
      if (own === generation) performing.add(work.key)
      await new Promise<void>((resolve, reject) => {
        clock.setTimer(runMs, () => {
          if (own === generation) resolve()
        })
        signal.addEventListener('abort', () => reject(signal.reason))
      })
      performing.delete(work.key)
      runs.set(work.key, 'done')
      ended.push(work.key)
      return { detail: 'done' }
    }
    return createAssistantModule({
      home,
      bus: createBus(log),
      notices: { send: async () => ({ stored: true }) },
      execution: { perform, listFlows: async () => state.flows, listRuns: async () => [] },
      log,
      now: () => clock.now() + offsetMs,
      setTimer,
      settings: () => settingsShape.parse({ assistant: { diary: { enabled: false } } }),
      redactor: () => createRedactor({}),
      commandLine: 'steward',
      newId: () => 'id',
    })
  }
  let module = boot()

  /** The scheduler waits for its timer, and every open firing is being performed or queued. */
  const isSettled = (): boolean => {
    if (timers < MODULE_TIMERS) return false
    database ??= new DatabaseSync(join(home.databases, 'assistant.sqlite'))
    const open = database
      .prepare("SELECT task, due_ms FROM firings WHERE state IN ('claimed', 'running')")
      .all()
    return open.every(({ task, due_ms }) => {
      const isRunning = performing.has(`task:${task}:${new Date(Number(due_ms)).toISOString()}`)
      return isRunning || [...performing].some((key) => key.startsWith(`task:${task}:`))
    })
  }
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve))
      quiet = isSettled() ? quiet + 1 : 0
    }
  }
  return {
    now: () => clock.now() + offsetMs,
    start: async () => {
      await module.start?.()
      await settle()
    },
    /** `kill -9` and a new start. */
    kill: async () => {
      module = boot()
      await module.start?.()
      await settle()
    },
    stop: async () => {
      await module.stop?.()
      generation++
    },
    /** The machine is awake for a time. */
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= STEP) {
        clock.advance(Math.min(left, STEP))
        await settle()
      }
    },
    /** Like `pass`, but stops in the middle of what a step causes. */
    passHalf: async (turns: number) => {
      clock.advance(STEP)
      for (let turn = 0; turn < turns; turn++) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    /** The wall clock moves and no timer fires: sleep, or a person or a server sets the clock. */
    jump: (ms: number) => {
      offsetMs += ms
    },
    setFlows: (next: readonly ScheduledFlow[]) => {
      state.flows = next
    },
    ended,
    begun: () => [...runs.keys()],
    lines,
  }
}

/** Due instants by looking at the wall clock of each minute, independent of the implementation. */
const dueTimes = (zone: string, time: string, isDay: (day: string) => boolean, range: number[]) => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const found: number[] = []
  for (let at = range[0] ?? 0; at <= (range[1] ?? 0); at += 15 * MINUTE) {
    const parts = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, value]),
    )
    if (`${parts.hour}:${parts.minute}` === time && isDay(String(parts.weekday))) found.push(at)
  }
  return found
}
const isWeekday = (day: string): boolean => !['Sat', 'Sun'].includes(day)
const keyOf = (name: string, dueMs: number): string =>
  `task:flow:${name.toLowerCase()}:${new Date(dueMs).toISOString()}`

it('starts flows at 7 on the weekdays of a month in three time zones, through sleep and kills', async () => {
  // Clocks change on March 8 in New York and on March 29 in Berlin.
  const startMs = Date.parse('2026-03-02T12:00:00Z')
  const endMs = startMs + 31 * DAY
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
  const flows = zones.map((timezone, index) =>
    flowOf(`F_${index}`, { at: '07:00', days: 'mon-fri', timezone, runsOn: 'here' }),
  )
  const machine = createMachine(startMs, flows, 10_000)
  await machine.start()
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  let kills = 0
  while (machine.now() < endMs) {
    // Asleep for minutes or for most of a night; never for a whole day.
    machine.jump(random() < 0.02 ? 9 * HOUR : Math.round(random() * 25 * MINUTE))
    await machine.pass(30_000)
    if (random() < 0.1) {
      kills++
      if (random() < 0.5) await machine.passHalf(Math.floor(random() * 20))
      await machine.kill()
    }
  }
  await machine.pass(2 * MINUTE)
  await machine.stop()
  const range = [startMs, endMs]
  const expected = zones.flatMap((zone, index) =>
    dueTimes(zone, '07:00', isWeekday, range).map((dueMs) => keyOf(`F_${index}`, dueMs)),
  )
  expect(kills).toBeGreaterThan(100)
  expect(expected.length).toBeGreaterThan(65)
  expect(machine.ended.toSorted()).toEqual(expected.toSorted())
}, 120_000)

type Step = ['sleep' | 'awake' | 'set', number] | ['kill' | 'stop', 0]
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant('sleep' as const), fc.integer({ min: 1, max: 3 * HOUR })),
  fc.tuple(fc.constant('awake' as const), fc.integer({ min: 1000, max: 5 * MINUTE })),
  fc.tuple(fc.constant('set' as const), fc.integer({ min: -2 * HOUR, max: HOUR })),
  fc.tuple(fc.constant('kill' as const), fc.constant(0 as const)),
  fc.tuple(fc.constant('stop' as const), fc.constant(0 as const)),
)

it('never starts a flow twice for one time, and none that is not due, whatever happens to the clock', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
      await openHome()
      // Two hours before clocks go back in Berlin, at 01:00 UTC.
      const startMs = Date.parse('2026-10-24T23:01:00Z')
      const machine = createMachine(
        startMs,
        [
          flowOf('F_NIGHT', { at: '02:30', timezone: 'Europe/Berlin', runsOn: 'here' }),
          flowOf('F_OFTEN', { every: '30m', runsOn: 'here', catchUp: 'all' }),
        ],
        2000,
      )
      await machine.start()
      for (const [kind, ms] of steps) {
        if (kind === 'sleep' || kind === 'set') machine.jump(ms)
        if (kind === 'awake') await machine.pass(ms)
        if (kind === 'stop') await machine.stop()
        if (kind === 'kill' || kind === 'stop') await machine.kill()
        await machine.pass(1000)
      }
      await machine.pass(5 * MINUTE)
      await machine.stop()
      expect(new Set(machine.ended).size).toBe(machine.ended.length)
      const begun = machine.begun()
      expect(machine.ended.toSorted()).toEqual(begun.toSorted())
      for (const key of begun) {
        const due = key.slice(key.indexOf(':', 10) + 1)
        if (key.includes('f_often')) expect(Date.parse(due) % (30 * MINUTE)).toBe(0)
        // The repeated hour counts once: 02:30 is 00:30 UTC, in summer time.
        else expect(due).toMatch(/^2026-10-25T00:30|^2026-10-(?:2[67]|3\d)T01:30/)
      }
    }),
    { numRuns: 8 },
  )
}, 120_000)

it('does not catch up on the time while a flow was switched off', async () => {
  const startMs = Date.parse('2026-05-04T06:00:00Z')
  const schedule = { at: '07:00', timezone: 'UTC', runsOn: 'here' }
  const machine = createMachine(startMs, [flowOf('F_A', schedule)], 1000)
  await machine.start()
  machine.jump(HOUR)
  await machine.pass(MINUTE)
  machine.setFlows([flowOf('F_A', { ...schedule, enabled: false })])
  for (let day = 0; day < 3; day++) {
    machine.jump(DAY)
    await machine.pass(MINUTE)
  }
  machine.setFlows([flowOf('F_A', schedule)])
  await machine.pass(2 * MINUTE)
  expect(machine.ended).toEqual([keyOf('F_A', startMs + HOUR)])
  machine.jump(DAY)
  await machine.pass(MINUTE)
  await machine.stop()
  expect(machine.ended).toEqual([
    keyOf('F_A', startMs + HOUR),
    keyOf('F_A', startMs + HOUR + 4 * DAY),
  ])
})

it('runs a flow that takes longer than its interval one run at a time, with at most one waiting', async () => {
  const startMs = Date.parse('2026-05-04T06:00:00Z')
  const machine = createMachine(
    startMs,
    [flowOf('F_SLOW', { every: '1m', timezone: 'UTC', runsOn: 'here' })],
    150_000,
  )
  await machine.start()
  await machine.pass(10 * MINUTE)
  expect(machine.begun().length).toBe(machine.ended.length + 1)
  expect(machine.ended.length).toBeGreaterThanOrEqual(3)
  expect(machine.ended.length).toBeLessThanOrEqual(4)
  await machine.pass(3 * MINUTE)
  await machine.stop()
})

it('fires flows while tasks.yaml cannot be read', async () => {
  mkdirSync(home.user.assistant, { recursive: true })
  writeFileSync(join(home.user.assistant, 'tasks.yaml'), 'tasks: {')
  const startMs = Date.parse('2026-05-04T06:30:00Z')
  const machine = createMachine(startMs, [flowOf('F_A', { every: '1h', runsOn: 'here' })], 1000)
  await machine.start()
  machine.jump(HOUR)
  await machine.pass(MINUTE)
  await machine.stop()
  expect(machine.ended).toEqual([keyOf('F_A', startMs + HOUR / 2)])
  expect(machine.lines.join('\n')).toContain('tasks.yaml')
})
