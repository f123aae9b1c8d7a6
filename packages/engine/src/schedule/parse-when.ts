import { fail, ok, type Result, StewardError, type TaskSchedule } from '@steward/contract'
import { parseCron } from '../cron/parse-cron.ts'
import type { WhenContext } from './found-schedule.ts'
import { parseOnce } from './parse-once.ts'
import { parseRepeated } from './parse-repeated.ts'
import { takeTimes } from './take-times.ts'

const CRON = /^[\d*][\d*/,-]*(\s+[\d*][\d*/,-]*){4}$/
const EXAMPLES =
  'write for example "every weekday at 9", "every 2 hours", "tomorrow at 14:30", "in 20 minutes", "on the 1st of each month at 8am", or a cron expression of five fields'

/** Interprets an English phrase or a cron expression. */
export const parseWhen = (text: string, context: WhenContext): Result<TaskSchedule> => {
  const asked = text.trim().replace(/\s+/g, ' ')
  if (CRON.test(asked)) return readCron(asked)
  const phrase = asked
    .toLowerCase()
    .replace(/[.!]+$/, '')
    .replace(/^please /, '')
  const taken = takeTimes(phrase)
  if (!taken.ok) return taken
  const { times, rest } = taken.value
  const found = parseRepeated(rest, times, context) ?? parseOnce(rest, times, context)
  if (found === undefined) return refuse(`'${asked.slice(0, 80)}' is not understood; ${EXAMPLES}`)
  if (!found.ok) return found
  const { schedule } = found.value
  if ('at' in schedule && Date.parse(schedule.at) < context.nowMs) {
    return refuse(`'${asked.slice(0, 80)}' is in the past: ${schedule.at}`)
  }
  if ('cron' in schedule) {
    const checked = readCron(schedule.cron)
    if (!checked.ok) return checked
  }
  return ok({ ...schedule, asked: asked.slice(0, 300) })
}

/** Validates a cron expression. */
export const readCron = (cron: string): Result<TaskSchedule> => {
  const parsed = parseCron(cron)
  if (parsed.ok) return ok({ cron: parsed.value.text })
  return refuse(parsed.error.message)
}

const refuse = (reason: string): { ok: false; error: StewardError } =>
  fail(new StewardError('invalid_input', { subject: 'schedule', reason, field: 'schedule' }))
