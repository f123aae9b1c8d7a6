import { nextTimes, parseCron } from '@steward/engine'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, createVirtualClock } from './clock.ts'
import { createScheduler, type Fired } from './scheduler.ts'

const START_MS = Date.UTC(2026, 0, 30, 8, 52, 30)

const open = (
  clock: Clock,
  fire: (cron: string) => Promise<string> = async () => 'ok',
): { fired: Fired[]; warnings: string[]; scheduler: ReturnType<typeof createScheduler> } => {
  const fired: Fired[] = []
  const warnings: string[] = []
  const scheduler = createScheduler({
    clock,
    fire: ({ cron }) => fire(cron),
    onFired: (each) => fired.push(each),
    warn: (message) => warnings.push(message),
  })
  return { fired, warnings, scheduler }
}

const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
  )
const cronText = fc
  .tuple(field(0, 59), field(0, 23), fc.constant('*'), fc.constant('*'), field(0, 6))
  .map((fields) => fields.join(' '))

test('every tick of a cron fires once, in order, at the time that nextTimes says', async () => {
  await fc.assert(
    fc.asyncProperty(
      cronText,
      fc.array(fc.integer({ min: 1, max: 3 * 3_600_000 }), { maxLength: 6 }),
      async (cron, stepsMs) => {
        const parsed = parseCron(cron)
        fc.pre(parsed.ok)
        if (!parsed.ok) return
        const clock = createVirtualClock(START_MS)
        const { fired, warnings, scheduler } = open(clock)
        scheduler.set([{ worker: 'exec-f-x', cron }])
        for (const stepMs of stepsMs) await clock.advance(stepMs, scheduler.idle)
        const expected = nextTimes(parsed.value, new Date(START_MS), 1000)
          .map((time) => time.getTime())
          .filter((timeMs) => timeMs <= clock.now())
        expect(fired.map(({ scheduledTimeMs }) => scheduledTimeMs)).toEqual(expected)
        expect(warnings).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})

/** A clock that jumps without calling back in between, as when a machine sleeps. */
const createSleepyClock = () => {
  let nowMs = START_MS
  const waiting = new Set<{ timeMs: number; call: () => void }>()
  return {
    now: () => nowMs,
    at: (timeMs: number, call: () => void) => {
      const entry = { timeMs, call }
      waiting.add(entry)
      return () => waiting.delete(entry)
    },
    wakeUpAfter: (durationMs: number) => {
      nowMs += durationMs
      for (const entry of [...waiting]) {
        if (entry.timeMs <= nowMs && waiting.delete(entry)) entry.call()
      }
    },
  }
}

test('ticks missed during sleep are replaced by one, which reports them', async () => {
  const clock = createSleepyClock()
  const { fired, warnings, scheduler } = open(clock)
  scheduler.set([{ worker: 'exec-f-x', cron: '*/5 * * * *' }])
  clock.wakeUpAfter(3_600_000)
  await scheduler.idle()
  expect(fired).toMatchObject([{ scheduledTimeMs: Date.UTC(2026, 0, 30, 9, 50), missed: 11 }])
  expect(warnings).toEqual([expect.stringContaining("11 tick(s) of cron '*/5 * * * *'")])
  clock.wakeUpAfter(300_000)
  await scheduler.idle()
  expect(fired).toHaveLength(2)
})

test('a tick is skipped while the previous one runs; another cron of the worker waits', async () => {
  const clock = createSleepyClock()
  const first = Promise.withResolvers<string>()
  const begun: string[] = []
  const { fired, warnings, scheduler } = open(clock, (cron) => {
    begun.push(cron)
    return begun.length === 1 ? first.promise : Promise.resolve('ok')
  })
  scheduler.set([
    { worker: 'exec-f-x', cron: '* * * * *' },
    { worker: 'exec-f-x', cron: '*/2 * * * *' },
    { worker: 'exec-f-y', cron: '*/2 * * * *' },
  ])
  clock.wakeUpAfter(30_000)
  clock.wakeUpAfter(60_000)
  await Promise.resolve()
  expect(begun).toEqual(['* * * * *', '*/2 * * * *'])
  expect(warnings).toEqual([expect.stringContaining('the previous run has not ended')])
  first.resolve('ok')
  await scheduler.idle()
  expect(fired.map(({ worker, cron }) => `${worker} ${cron}`).toSorted()).toEqual([
    'exec-f-x * * * * *',
    'exec-f-x */2 * * * *',
    'exec-f-y */2 * * * *',
  ])
})

test('a throwing handler is an outcome, an invalid cron a warning, and a removed one is silent', async () => {
  const clock = createVirtualClock(START_MS)
  const { fired, warnings, scheduler } = open(clock, () => Promise.reject(new Error('no')))
  scheduler.set([
    { worker: 'exec-f-x', cron: '* * * * *' },
    { worker: 'exec-f-x', cron: 'now and then' },
  ])
  await clock.advance(60_000, scheduler.idle)
  expect(fired).toMatchObject([{ outcome: 'exception' }])
  expect(warnings).toEqual([
    expect.stringContaining('needs exactly 5'),
    expect.stringContaining("cron '* * * * *' failed: no"),
  ])
  scheduler.set([])
  await clock.advance(600_000, scheduler.idle)
  expect(fired).toHaveLength(1)
})
