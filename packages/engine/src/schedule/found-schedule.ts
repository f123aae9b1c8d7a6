import { fail, ok, type Result, StewardError, type TaskSchedule } from '@steward/contract'

/** The reference time and zone for interpreting a phrase. */
export interface WhenContext {
  nowMs: number
  zone: string
}

/** A schedule parsed from a phrase, or why the phrase is refused. */
export type FoundSchedule = Result<{ schedule: TaskSchedule }>

export const found = (schedule: TaskSchedule): FoundSchedule => ok({ schedule })

export const refuseSchedule = (reason: string): FoundSchedule =>
  fail(new StewardError('invalid_input', { subject: 'schedule', reason, field: 'schedule' }))
