import type { Cron } from './parse-cron.ts'

const MINUTE_MS = 60_000

/** The first time strictly after `after`; `undefined` if the expression never matches again. */
export const nextTime = ({ pattern }: Cron, after: Date): Date | undefined =>
  pattern.nextRun(after) ?? undefined

/** The next `count` times strictly after `after`, in order. */
export const nextTimes = ({ pattern }: Cron, after: Date, count: number): Date[] =>
  pattern.nextRuns(count, after)

/** Whether the expression matches the minute of `time`. */
export const isDue = ({ pattern }: Cron, time: Date): boolean =>
  pattern.match(new Date(Math.floor(time.getTime() / MINUTE_MS) * MINUTE_MS))
