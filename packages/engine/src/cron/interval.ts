import { StewardError } from '@steward/contract'

const MINUTE_MS = 60_000
const HOUR = 60
const DAY = 24 * HOUR

/**
 * Intervals that a cron expression can express exactly: divisors of an hour, and whole-hour
 * divisors of a day.
 */
const EXPRESSIBLE = [
  ...divisorsOf(HOUR),
  ...divisorsOf(24)
    .filter((hours) => hours > 1)
    .map((hours) => hours * HOUR),
]

export interface IntervalCron {
  cron: string
  /**
   * False if the expression ticks more often than the interval: call `isIntervalDue` at each tick.
   */
  exact: boolean
}

/**
 * The expression that fires every `intervalMinutes`, or the least frequent one whose ticks include
 * every due time.
 */
export const cronForInterval = (intervalMinutes: number): IntervalCron => {
  checkInterval(intervalMinutes)
  const tick = EXPRESSIBLE.findLast((minutes) => intervalMinutes % minutes === 0) ?? 1
  return { cron: expressionOf(tick), exact: tick === intervalMinutes }
}

/**
 * Whether a flow last started at `lastStartedAt` is due at `now`. Time is divided into slots of the
 * interval since the epoch, and a slot is due once, so a late tick neither shifts the next one nor
 * fires twice.
 */
export const isIntervalDue = (
  intervalMinutes: number,
  lastStartedAt: Date | null,
  now: Date,
): boolean => {
  checkInterval(intervalMinutes)
  if (lastStartedAt === null) return true
  const slotOf = (time: Date) => Math.floor(time.getTime() / (intervalMinutes * MINUTE_MS))
  const slots = slotOf(now) - slotOf(lastStartedAt)
  // A start more than a slot ahead means that the clock was set back; waiting for it would stall
  // the flow.
  return slots > 0 || slots < -1
}

const checkInterval = (intervalMinutes: number): void => {
  if (Number.isInteger(intervalMinutes) && intervalMinutes >= 1) return
  const reason = `must be a whole number of minutes from 1, found ${intervalMinutes}`
  throw new StewardError('invalid_input', { subject: 'intervalMinutes', reason })
}

const expressionOf = (minutes: number): string => {
  if (minutes === 1) return '* * * * *'
  if (minutes < HOUR) return `*/${minutes} * * * *`
  if (minutes === HOUR) return '0 * * * *'
  if (minutes < DAY) return `0 */${minutes / HOUR} * * *`
  return '0 0 * * *'
}

function divisorsOf(whole: number): number[] {
  return Array.from({ length: whole }, (_, index) => index + 1).filter((part) => whole % part === 0)
}
