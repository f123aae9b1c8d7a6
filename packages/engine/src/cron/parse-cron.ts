import { fail, ok, type Result, StewardError } from '@steward/contract'
import { Cron as Pattern } from 'croner'
import { checkCronField } from './check-cron-field.ts'
import { CRON_FIELDS } from './cron-fields.ts'

/** A checked five-field cron expression in UTC. */
export interface Cron {
  text: string
  pattern: Pattern
}

/**
 * Reads minute, hour, day of month, month and day of week (spec 1, Cron expression format).
 * When both day fields are restricted, a day that fits either is due. Every mistake is named.
 */
export const parseCron = (text: string): Result<Cron> => {
  const wrong = (reason: string) =>
    fail(new StewardError('invalid_input', { subject: `cron '${text}'`, reason }))
  const parts = text.trim().split(/\s+/).filter(Boolean)
  if (parts.length !== CRON_FIELDS.length) {
    const names = CRON_FIELDS.map(({ name }) => name).join(', ')
    return wrong(`has ${parts.length} fields, and needs exactly 5: ${names}`)
  }
  const mistakes = CRON_FIELDS.flatMap((field, index) => checkCronField(parts[index] ?? '', field))
  if (mistakes.length > 0) return wrong(mistakes.join('; '))

  const checked = parts.join(' ')
  const pattern = new Pattern(checked, { mode: '5-part', utcOffset: 0 })
  if (pattern.nextRun(new Date(0)) === null) {
    return wrong(`never comes: no month of ${parts[3]} has a day ${parts[2]}`)
  }
  return ok({ text: checked, pattern })
}
