import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { firingsBetween, nextFiring, nextFirings } from './next-firing.ts'
import { boundsOfDay, formatInZone, instantOfWall, isZone, wallOf } from './zoned-time.ts'

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
const YEAR = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)] as const
const MINUTE = 60_000
const QUARTER = 15 * MINUTE

/**
 * The wall clock of a zone per quarter of an hour, as if it were UTC; all zone changes happen at
 * quarters.
 */
const clockOf = (zone: string): number[] => {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  const shown: number[] = []
  for (let at = YEAR[0]; at < YEAR[1]; at += QUARTER) {
    shown.push(Date.parse(`${format.format(at).replace(' ', 'T')}Z`))
  }
  return shown
}
const clocks = new Map(ZONES.map((zone) => [zone, clockOf(zone)]))

/** Implements the fields directly by their definition. */
const fitting = (cron: string): ((minute: number) => boolean) => {
  const fields = cron.split(' ').map((field) =>
    Array.from({ length: 60 }, (_, value) =>
      field.split(',').some((part) => {
        const [range = '', step = '1'] = part.split('/')
        const [low = 0, high = low] = range === '*' ? [0, 99] : range.split('-').map(Number)
        return value >= low && value <= high && (value - low) % Number(step) === 0
      }),
    ),
  )
  return (minute) => {
    if (!fields[0]?.[(minute / MINUTE) % 60]) return false
    const date = new Date(minute)
    const found = [date.getUTCHours(), date.getUTCDate(), date.getUTCMonth() + 1, date.getUTCDay()]
    return found.every((value, index) => fields[index + 1]?.[value] === true)
  }
}

/**
 * Walks through the year minute by minute. When clocks jump forward, the skipped minutes pass at
 * once; minutes that repeat do not count again.
 */
const oracle = (cron: string, zone: string): number[] => {
  const fits = fitting(cron)
  const firings: number[] = []
  const shown = clocks.get(zone) ?? []
  let passed = (shown[0] ?? 0) - MINUTE
  for (const [index, quarter] of shown.entries()) {
    for (let n = 0; n < 15; n++) {
      const time = quarter + n * MINUTE
      let isDue = false
      for (let each = passed + MINUTE; each <= time; each += MINUTE) isDue ||= fits(each)
      if (isDue) firings.push(YEAR[0] + index * QUARTER + n * MINUTE)
      passed = Math.max(passed, time)
    }
  }
  return firings
}

const CRONS = [
  '30 2 * * *',
  '0 9 * * 1-5',
  '45 1 * * *',
  '*/20 2-3 * * 0',
  '0 8 1 * *',
  '15 0 * * *',
]

describe('a virtual year', () => {
  for (const zone of ZONES) {
    it(`fires every time exactly once in ${zone}`, () => {
      for (const cron of CRONS) {
        const wanted = oracle(cron, zone)
        const range = { afterMs: YEAR[0] - 1, untilMs: YEAR[1] - 1, limit: 100_000 }
        const { times } = firingsBetween({ cron, timezone: zone }, range, 'UTC')
        expect(times, cron).toEqual(wanted)
        expect(wanted.length).toBeGreaterThan(11)
      }
    })
  }

  it('has a firing for every day, also those with 23 and 25 hours', () => {
    const range = { afterMs: YEAR[0] - 1, untilMs: YEAR[1] - 1, limit: 1000 }
    for (const timezone of ZONES) {
      const { times } = firingsBetween({ cron: '30 2 * * *', timezone }, range, 'UTC')
      expect(times).toHaveLength(365)
    }
  })
})

describe('clock changes', () => {
  const firingsOn = (cron: string, zone: string, day: string) => {
    const { fromMs, toMs } = boundsOfDay(day, zone)
    const range = { afterMs: fromMs - 1, untilMs: toMs - 1, limit: 1000 }
    return firingsBetween({ cron }, range, zone).times.map((time) => formatInZone(time, zone))
  }

  it('fire a skipped time at the change, once', () => {
    expect(firingsOn('30 2 * * *', 'Europe/Berlin', '2026-03-29')).toEqual([
      '2026-03-29T03:00:00+02:00',
    ])
    expect(firingsOn('*/20 2 * * *', 'Europe/Berlin', '2026-03-29')).toHaveLength(1)
    expect(firingsOn('15 2 * * *', 'Australia/Lord_Howe', '2026-10-04')).toEqual([
      '2026-10-04T02:30:00+11:00',
    ])
  })

  it('fire a doubled time the first time only', () => {
    expect(firingsOn('30 2 * * *', 'Europe/Berlin', '2026-10-25')).toEqual([
      '2026-10-25T02:30:00+02:00',
    ])
    expect(firingsOn('30 1 * * *', 'America/New_York', '2026-11-01')).toEqual([
      '2026-11-01T01:30:00-04:00',
    ])
    expect(firingsOn('45 1 * * *', 'Australia/Lord_Howe', '2026-04-05')).toEqual([
      '2026-04-05T01:45:00+11:00',
    ])
  })

  it('do not matter to intervals', () => {
    const from = '2026-03-28T22:00:00Z'
    const times = nextFirings({ everySeconds: 7200, from }, Date.parse(from), 'Europe/Berlin', 4)
    expect(times.map((time) => (time - Date.parse(from)) / 3_600_000)).toEqual([2, 4, 6, 8])
  })
})

describe.each(ZONES)('by the calendar in %s', (zone) => {
  const localOf = (time: number) => formatInZone(time, zone).slice(0, 16)
  /** Calendar days, independent of any clock. */
  const dayAfter = (day: string, days: number) => {
    const date = new Date(`${day}T00:00:00Z`)
    date.setUTCDate(date.getUTCDate() + days)
    return date.toISOString().slice(0, 10)
  }

  it('every third day at nine, through a year and its clock changes', () => {
    const schedule = { everyDays: 3, fromDay: '2026-01-02', time: '09:00' }
    const times = nextFirings(schedule, YEAR[0], zone, 122)
    expect(times.map(localOf)).toEqual(
      times.map((_, index) => `${dayAfter('2026-01-02', index * 3)}T09:00`),
    )
  })

  it('every month at its end, in a leap year', () => {
    const times = nextFirings(
      { monthly: 'last day', time: '17:30' },
      instantOfWall(Date.UTC(2028, 0, 1), zone),
      zone,
      12,
    )
    expect(times.map((time) => localOf(time).slice(5))).toEqual(
      [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map(
        (day, index) => `${String(index + 1).padStart(2, '0')}-${day}T17:30`,
      ),
    )
  })
})

it('every day at a time that is skipped or shown twice fires once a day', () => {
  const schedule = { everyDays: 1, fromDay: '2026-01-01', time: '02:30' }
  const times = nextFirings(schedule, YEAR[0], 'Europe/Berlin', 365)
  const days = times.map((time) => formatInZone(time, 'Europe/Berlin').slice(0, 10))
  expect(new Set(days).size).toBe(365)
})

it('ends with until, and once is once', () => {
  const schedule = { cron: '0 9 * * *', until: '2026-01-02T09:00:00Z' }
  expect(nextFirings(schedule, YEAR[0], 'UTC', 9)).toHaveLength(2)
  const at = '2026-01-01T12:00:00Z'
  expect(nextFirings({ at }, YEAR[0], 'UTC', 9)).toEqual([Date.parse(at)])
  expect(nextFiring({ at }, Date.parse(at), 'UTC')).toBeUndefined()
  const range = { afterMs: YEAR[0], untilMs: YEAR[1], limit: 3 }
  expect(firingsBetween({ cron: '0 0 1 * *' }, range, 'UTC')).toMatchObject({ dropped: 9 })
  expect(firingsBetween({ at }, range, 'UTC').times).toEqual([Date.parse(at)])
})

test('a wall time is placed where clocks show it, in any zone', () => {
  const zones = [...ZONES, 'UTC', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Casablanca']
  const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2035, 0) })
  fc.assert(
    fc.property(instant, fc.constantFrom(...zones), (at, zone) => {
      const placed = instantOfWall(wallOf(at, zone), zone)
      expect(wallOf(placed, zone)).toBe(wallOf(at, zone))
      expect(placed).toBeLessThanOrEqual(at)
      expect(Date.parse(formatInZone(at, zone))).toBe(Math.floor(at / 1000) * 1000)
    }),
  )
  expect(instantOfWall(Date.UTC(2011, 11, 30, 12), 'Pacific/Apia')).toBe(Date.UTC(2011, 11, 30, 10))
  expect(isZone('Mars/Olympus')).toBe(false)
})
