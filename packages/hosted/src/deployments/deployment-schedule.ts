import type { DeploymentScheduleGiven } from '@steward/contract'
import { firingsBetween, nextFirings, parseCron } from '@steward/engine'
import { invalid } from '../api/refusal.ts'

const SHOWN = 5

/** Refuses expressions that are not five fields of POSIX cron, with what is wrong. */
export const checkSchedule = ({ expression }: DeploymentScheduleGiven): void => {
  const read = parseCron(toOurs(expression))
  if (!read.ok) throw invalid('schedule.expression', String(read.error.details.reason))
}

/** The next times after an instant. */
export const upcomingRuns = (
  schedule: DeploymentScheduleGiven,
  afterMs: number,
  count = SHOWN,
): number[] => nextFirings(toTask(schedule), afterMs, schedule.timezone, count)

/** The newest time up to an instant; older ones that a stopped server missed are left out. */
export const newestDue = (
  schedule: DeploymentScheduleGiven,
  dueMs: number,
  nowMs: number,
): number => {
  const span = { afterMs: dueMs, untilMs: nowMs, limit: 1 }
  return firingsBetween(toTask(schedule), span, schedule.timezone).times[0] ?? dueMs
}

const toTask = ({ expression, timezone }: DeploymentScheduleGiven) => ({
  cron: toOurs(expression),
  timezone,
})

/** The vendor also writes Sunday as 7. */
const toOurs = (expression: string): string => {
  const fields = expression.trim().split(/\s+/)
  const days = fields[4]
  if (fields.length !== 5 || days === undefined || !days.includes('7')) return expression
  return [...fields.slice(0, 4), days.split(',').map(withoutSeven).join(',')].join(' ')
}

const withoutSeven = (item: string): string => {
  const [, from, to, step] = /^(\d)(?:-(\d))?(?:\/(\d))?$/.exec(item) ?? []
  const [first, last, by] = [Number(from), Number(to ?? from), Number(step ?? 1)]
  if (last !== 7 || first > last || by < 1 || (step !== undefined && to === undefined)) return item
  const days: number[] = []
  for (let day = first; day <= last; day += by) days.push(day % 7)
  return [...new Set(days)].join(',')
}
