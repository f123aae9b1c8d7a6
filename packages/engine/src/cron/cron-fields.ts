export interface CronField {
  name: string
  min: number
  max: number
  note?: string
}

/** Spec 1, Cron expression format. */
export const CRON_FIELDS: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of week', min: 0, max: 6, note: 'Sunday is 0' },
]
