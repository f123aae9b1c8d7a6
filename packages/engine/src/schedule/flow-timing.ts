import {
  type FlowSchedule,
  type Issue,
  nearestHint,
  parseDays,
  parseDuration,
  type TaskSchedule,
} from '@steward/contract'
import { parseCron } from '../cron/parse-cron.ts'
import { describeSchedule, describeSeconds } from './describe-schedule.ts'
import { isZone } from './zoned-time.ts'

const DAY_SECONDS = 86_400
const WEEKDAYS = '1,2,3,4,5'
const EPOCH = '1970-01-01'

/**
 * A flow's schedule in the form that firings are computed from. Intervals are slots since the
 * epoch, as on the edge; those of whole days begin at local midnight.
 */
export const timingOf = (schedule: FlowSchedule): TaskSchedule => {
  const { at, cron, timezone } = schedule
  const zone = timezone === undefined ? {} : { timezone }
  if (cron !== undefined) return { cron, ...zone }
  if (at !== undefined) {
    const [hour, minute] = at.split(':').map(Number)
    return { cron: `${minute} ${hour} * * ${weekdaysOf(schedule.days)}`, ...zone }
  }
  const everySeconds = secondsOf(schedule)
  if (schedule.every !== undefined && everySeconds % DAY_SECONDS === 0) {
    return { everyDays: everySeconds / DAY_SECONDS, fromDay: EPOCH, time: '00:00', ...zone }
  }
  return { everySeconds, from: `${EPOCH}T00:00:00Z`, ...zone }
}

const secondsOf = ({ intervalMinutes, every }: FlowSchedule): number =>
  every === undefined ? (intervalMinutes ?? 1) * 60 : (parseDuration(every) ?? 0) / 1000

const weekdaysOf = (days: string | undefined): string => {
  const list = days === undefined ? undefined : parseDays(days)?.join(',')
  if (list === undefined || list === '0,1,2,3,4,5,6') return '*'
  return list === WEEKDAYS ? '1-5' : list
}

/** A flow's schedule in words: `every weekday (Monday to Friday) at 07:00 (Europe/Berlin)`. */
export const describeTiming = (schedule: FlowSchedule): string => {
  const timing = timingOf(schedule)
  const zone = schedule.timezone === undefined ? '' : ` (${schedule.timezone})`
  if ('everySeconds' in timing) return `every ${describeSeconds(timing.everySeconds)}`
  if ('everyDays' in timing) {
    const { everyDays, time } = timing
    return `every ${everyDays === 1 ? 'day' : `${everyDays} days`} at ${time}${zone}`
  }
  return `${describeSchedule(timing, 'UTC')}${zone}`
}

/** How a flow starts on this machine. */
export const startOf = ({
  schedule,
  sourceType,
}: {
  schedule: FlowSchedule
  sourceType: string
}): 'disabled' | 'webhook' | 'schedule' | 'manual' => {
  if (!schedule.enabled) return 'disabled'
  if (sourceType === 'webhook') return 'webhook'
  return schedule.runsOn === 'here' ? 'schedule' : 'manual'
}

/** Mistakes in values that only the engine knows: time zones and cron expressions. */
export const scheduleIssues = ({
  timezone,
  cron,
}: {
  timezone?: unknown
  cron?: unknown
}): Issue[] => {
  const parsed = typeof cron === 'string' ? parseCron(cron) : undefined
  return [
    ...(typeof timezone === 'string' && !isZone(timezone)
      ? [{ path: 'schedule.timezone', message: describeUnknownZone(timezone) }]
      : []),
    ...(parsed === undefined || parsed.ok
      ? []
      : [{ path: 'schedule.cron', message: parsed.error.message }]),
  ]
}

const describeUnknownZone = (zone: string): string => {
  const hint = nearestHint(zone, Intl.supportedValuesOf('timeZone'))
  return `${zone} is not a time zone such as Europe/Berlin${hint}`
}
