import type { UsageRow } from '@steward/contract'

/** One day of the calendar. */
export interface CalendarDay {
  day: string
  calls: number
  usd: number
  /** 0 for none, then 1 to 4. */
  level: number
  /** From the left. */
  week: number
  /** Monday is 0. */
  weekday: number
}

export interface Calendar {
  days: CalendarDay[]
  weeks: number
  months: Array<{ week: number; title: string }>
  activeDays: number
  /** The longest run of days in a row. */
  longest: number
  busiest: CalendarDay | undefined
}

const DAY_MS = 86_400_000
const DAYS = 365
const LEVELS = 4

/** The year up to `today` as weeks; days are compared with the busiest. */
export const layOutYear = (rows: readonly UsageRow[], today: string): Calendar => {
  const byDay = new Map(rows.map((row) => [row.key, row]))
  const end = Date.parse(`${today}T00:00:00Z`)
  const begin = end - (DAYS - 1) * DAY_MS
  const offset = weekdayOf(begin)
  const most = Math.max(1, ...rows.map(({ calls }) => calls))
  const days = Array.from({ length: DAYS }, (_, n): CalendarDay => {
    const day = new Date(begin + n * DAY_MS).toISOString().slice(0, 10)
    const row = byDay.get(day)
    const calls = row?.calls ?? 0
    return {
      day,
      calls,
      usd: row === undefined ? 0 : row.reported_usd + row.computed_usd,
      // A root, because one busy day would make all others pale.
      level: calls === 0 ? 0 : Math.max(1, Math.ceil(Math.sqrt(calls / most) * LEVELS)),
      week: Math.floor((n + offset) / 7),
      weekday: (n + offset) % 7,
    }
  })
  return {
    days,
    weeks: (days.at(-1)?.week ?? 0) + 1,
    months: monthsOf(days),
    activeDays: days.filter(({ calls }) => calls > 0).length,
    longest: longestRow(days),
    busiest: days.reduce<CalendarDay | undefined>(
      (best, day) => (day.calls > (best?.calls ?? 0) ? day : best),
      undefined,
    ),
  }
}

const weekdayOf = (atMs: number): number => (new Date(atMs).getUTCDay() + 6) % 7

const month = new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' })

const monthsOf = (days: readonly CalendarDay[]): Calendar['months'] =>
  days
    .filter(({ day }) => day.endsWith('-01'))
    .map(({ day, week }) => ({ week, title: month.format(Date.parse(`${day}T00:00:00Z`)) }))

const longestRow = (days: readonly CalendarDay[]): number => {
  let length = 0
  let longest = 0
  for (const { calls } of days) {
    length = calls > 0 ? length + 1 : 0
    longest = Math.max(longest, length)
  }
  return longest
}
