/** A validated five-field cron expression in UTC. */
export interface Cron {
  text: string
  minutes: ReadonlySet<number>
  hours: ReadonlySet<number>
  /** Days of the month; undefined if the field allows every day. */
  days: ReadonlySet<number> | undefined
  months: ReadonlySet<number>
  /** Days of the week, Sunday is 0; undefined if the field allows every day. */
  weekdays: ReadonlySet<number> | undefined
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Two leap days are at most eight years apart, around a century without one. */
const LONGEST_DAYS = 8 * 366

/** The first time strictly after `after`; `undefined` if the expression never matches again. */
export const nextTime = (cron: Cron, after: Date): Date | undefined => {
  const first = Math.floor(after.getTime() / MINUTE_MS) * MINUTE_MS + MINUTE_MS
  const firstDay = Math.floor(first / DAY_MS) * DAY_MS
  for (let count = 0; count <= LONGEST_DAYS; count++) {
    const day = firstDay + count * DAY_MS
    if (!isDueOn(cron, new Date(day))) continue
    const time = firstWithin(cron, day, Math.max(first, day))
    if (time !== undefined) return new Date(time)
  }
  return undefined
}

/** The first time of a day that is due, not before `from`. */
const firstWithin = ({ hours, minutes }: Cron, day: number, from: number): number | undefined => {
  for (let time = from; time < day + DAY_MS; ) {
    const minuteOfDay = (time - day) / MINUTE_MS
    if (!hours.has(Math.floor(minuteOfDay / 60))) time += HOUR_MS - ((time - day) % HOUR_MS)
    else if (minutes.has(minuteOfDay % 60)) return time
    else time += MINUTE_MS
  }
  return undefined
}

/** The next `count` times strictly after `after`, in order. */
export const nextTimes = (cron: Cron, after: Date, count: number): Date[] => {
  const times: Date[] = []
  for (let time = nextTime(cron, after); time !== undefined && times.length < count; ) {
    times.push(time)
    time = nextTime(cron, time)
  }
  return times
}

/** Whether the expression matches the minute of `time`. */
export const isDue = (cron: Cron, time: Date): boolean =>
  cron.minutes.has(time.getUTCMinutes()) &&
  cron.hours.has(time.getUTCHours()) &&
  isDueOn(cron, time)

/** If both day fields are restricted, a day matching either is due. */
const isDueOn = ({ days, months, weekdays }: Cron, time: Date): boolean => {
  if (!months.has(time.getUTCMonth() + 1)) return false
  const isDay = days?.has(time.getUTCDate())
  const isWeekday = weekdays?.has(time.getUTCDay())
  if (isDay === undefined || isWeekday === undefined) return isDay ?? isWeekday ?? true
  return isDay || isWeekday
}
