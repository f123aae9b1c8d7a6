import { type TaskSchedule, unwrap } from '@steward/contract'
import { type Cron, nextTime } from '../cron/cron-times.ts'
import { parseCron } from '../cron/parse-cron.ts'
import { nextOfDays, nextOfMonthEnd } from './next-by-day.ts'
import { instantOfWall, wallOf } from './zoned-time.ts'

/**
 * The first firing strictly after an instant; undefined if there is none.
 *
 * Cron expressions, days and months follow the wall clock: a skipped time fires once, at the moment
 * of the change; a repeated time fires only the first time. Intervals follow elapsed time and
 * ignore clock changes.
 */
export const nextFiring = (
  schedule: TaskSchedule,
  afterMs: number,
  zone: string,
): number | undefined => {
  if ('at' in schedule) {
    const atMs = Date.parse(schedule.at)
    return atMs > afterMs ? atMs : undefined
  }
  const next = nextRepeated(schedule, afterMs, schedule.timezone ?? zone)
  if (next === undefined || schedule.until === undefined) return next
  return next <= Date.parse(schedule.until) ? next : undefined
}

const nextRepeated = (
  schedule: Exclude<TaskSchedule, { at: string }>,
  afterMs: number,
  zone: string,
): number | undefined => {
  if ('cron' in schedule) return nextOfCron(schedule.cron, afterMs, zone)
  if ('everyDays' in schedule) return nextOfDays(schedule, afterMs, zone)
  if ('monthly' in schedule) return nextOfMonthEnd(schedule.time, afterMs, zone)
  return nextOfInterval(Date.parse(schedule.from), schedule.everySeconds * 1000, afterMs)
}

const nextOfInterval = (fromMs: number, everyMs: number, afterMs: number): number =>
  fromMs + Math.max(1, Math.floor((afterMs - fromMs) / everyMs) + 1) * everyMs

const KEPT_PATTERNS = 1000
const patterns = new Map<string, Cron>()

const patternOf = (text: string): Cron => {
  const known = patterns.get(text)
  if (known !== undefined) return known
  const parsed = unwrap(parseCron(text))
  if (patterns.size >= KEPT_PATTERNS) patterns.clear()
  patterns.set(text, parsed)
  return parsed
}

/** Compute with wall times as if they were UTC, which has no clock changes, then convert. */
const nextOfCron = (text: string, afterMs: number, zone: string): number | undefined => {
  const cron = patternOf(text)
  let wall = nextTime(cron, new Date(wallOf(afterMs, zone)))
  while (wall !== undefined) {
    const instantMs = instantOfWall(wall.getTime(), zone)
    // After clocks go back, repeated wall times have already fired.
    if (instantMs > afterMs) return instantMs
    wall = nextTime(cron, wall)
  }
  return undefined
}

/**
 * Firings in `(afterMs, untilMs]`, oldest first; if there are more than `limit`, only the newest.
 */
export const firingsBetween = (
  schedule: TaskSchedule,
  { afterMs, untilMs, limit }: { afterMs: number; untilMs: number; limit: number },
  zone: string,
): { times: number[]; dropped: number } => {
  const times: number[] = []
  let dropped = 0
  let next = nextFiring(schedule, afterMs, zone)
  while (next !== undefined && next <= untilMs) {
    times.push(next)
    if (times.length > limit) {
      times.shift()
      dropped++
    }
    next = nextFiring(schedule, next, zone)
  }
  return { times, dropped }
}

export const nextFirings = (
  schedule: TaskSchedule,
  afterMs: number,
  zone: string,
  count: number,
): number[] => {
  const times: number[] = []
  let next = nextFiring(schedule, afterMs, zone)
  while (next !== undefined && times.length < count) {
    times.push(next)
    next = nextFiring(schedule, next, zone)
  }
  return times
}
