import { type FlowSchedule, type TaskSchedule, unwrap } from '@steward/contract'
import { nextTimes } from '../cron/cron-times.ts'
import { cronForInterval, type IntervalCron, isIntervalDue } from '../cron/interval.ts'
import { parseCron } from '../cron/parse-cron.ts'
import { timingOf } from './flow-timing.ts'
import { firingsBetween, nextFiring } from './next-firing.ts'
import { wallOf } from './zoned-time.ts'

const MINUTE_MS = 60_000
const DAY_MINUTES = 1440
const DAY_MS = DAY_MINUTES * MINUTE_MS

/**
 * The cron trigger of a flow's worker, in UTC. If it ticks more often than the schedule, because of
 * a time zone or an interval that no expression has, `isEdgeDue` decides at each tick.
 */
export const edgeCronOf = (schedule: FlowSchedule): IntervalCron => {
  const timing = timingOf(schedule)
  if ('everySeconds' in timing) return cronForInterval(timing.everySeconds / 60)
  const offsets = offsetsOf(schedule.timezone ?? 'UTC')
  const ticks = minutesOfDay(timing).flatMap((minute) =>
    offsets.map((offset) => (((minute - offset) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES),
  )
  const minutes = listOf(ticks.map((tick) => tick % 60))
  const hours = listOf(ticks.map((tick) => Math.floor(tick / 60)))
  return { cron: `${minutes} ${hours.split(',').length === 24 ? '*' : hours} * * *`, exact: false }
}

/** Whether a flow that last started at `lastStartedAt` is due at a tick. */
export const isEdgeDue = (
  schedule: FlowSchedule,
  lastStartedAt: Date | null,
  at: Date,
): boolean => {
  const timing = timingOf(schedule)
  if ('everySeconds' in timing) return isIntervalDue(timing.everySeconds / 60, lastStartedAt, at)
  const lastMs = lastStartedAt?.getTime()
  const afterMs = lastMs === undefined || lastMs > at.getTime() ? at.getTime() - MINUTE_MS : lastMs
  const next = nextFiring(timing, afterMs, schedule.timezone ?? 'UTC')
  return next !== undefined && next <= at.getTime()
}

const MEASURED_DAYS = 28
const MEASURED_FROM = Date.UTC(2026, 0, 1)

/** The mean time between two runs. */
export const meanMinutesOf = (schedule: FlowSchedule): number => {
  const timing = timingOf(schedule)
  if ('everySeconds' in timing) return timing.everySeconds / 60
  const untilMs = MEASURED_FROM + MEASURED_DAYS * DAY_MS
  const range = { afterMs: MEASURED_FROM - 1, untilMs, limit: MEASURED_DAYS * DAY_MINUTES }
  const { times } = firingsBetween(timing, range, schedule.timezone ?? 'UTC')
  return (MEASURED_DAYS * DAY_MINUTES) / Math.max(1, times.length)
}

/** The local minutes of a day at which it may fire. */
const minutesOfDay = (timing: TaskSchedule): number[] => {
  if (!('cron' in timing)) return [0]
  const [minute, hour] = timing.cron.trim().split(/\s+/)
  const daily = unwrap(parseCron(`${minute} ${hour} * * *`))
  return nextTimes(daily, new Date(-1), DAY_MINUTES)
    .map((time) => time.getTime() / MINUTE_MS)
    .filter((found) => found < DAY_MINUTES)
}

const SAMPLED_FROM = Date.UTC(2024, 0, 1)
const SAMPLED_WEEKS = 4 * 52

/** The offsets of a zone from UTC in minutes, summer and winter. */
const offsetsOf = (zone: string): number[] => {
  const offsets = Array.from({ length: SAMPLED_WEEKS }, (_, week) => {
    const instantMs = SAMPLED_FROM + week * 7 * DAY_MS
    return Math.round((wallOf(instantMs, zone) - instantMs) / MINUTE_MS)
  })
  return [...new Set(offsets)]
}

const listOf = (values: readonly number[]): string =>
  [...new Set(values)].toSorted((a, b) => a - b).join(',')
