import { fail, ok, type Result, StewardError } from '@steward/contract'
import { type Cron, nextTime } from './cron-times.ts'

/**
 * Parses minute, hour, day of month, month and day of week (spec 1, Cron expression format). If
 * both day fields are restricted, a day matching either is due. Reports all mistakes.
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

  const [minutes, hours, days, months, weekdays] = CRON_FIELDS.map((field, index) =>
    valuesOf(parts[index] ?? '*', field),
  )
  const isGiven = (index: number): boolean => parts[index] !== '*'
  const cron: Cron = {
    text: parts.join(' '),
    minutes: new Set(minutes),
    hours: new Set(hours),
    days: isGiven(2) ? new Set(days) : undefined,
    months: new Set(months),
    weekdays: isGiven(4) ? new Set(weekdays) : undefined,
  }
  if (nextTime(cron, new Date(0)) === undefined) {
    return wrong(`never occurs: no month of ${parts[3]} has a day ${parts[2]}`)
  }
  return ok(cron)
}

/** The values of a field without mistakes. */
const valuesOf = (text: string, { min, max }: CronField): number[] =>
  text.split(',').flatMap((item) => {
    const [, from = min, to = from, step = 1] = ITEM.exec(item)?.map(toNumber) ?? []
    const last = item.startsWith('*') ? max : to
    const count = Math.floor((last - from) / step) + 1
    return Array.from({ length: count }, (_, index) => from + index * step)
  })

const toNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

/** `*`, a number or a range, with a step. */
const ITEM = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/

/**
 * All mistakes in one field: a list of `*`, numbers and ranges, each except a number with an
 * optional step.
 */
const checkCronField = (text: string, field: CronField): string[] =>
  text.split(',').flatMap((item) => checkItem(item, text, field))

const checkItem = (item: string, text: string, field: CronField): string[] => {
  const { name, min, max } = field
  const wrong = (what: string) => `${name}: ${what}; allowed is ${describeRange(field)}`
  if (item === '') return [wrong(`empty entry in '${text}'`)]

  const match = ITEM.exec(item)
  if (match === null) return [wrong(`found '${item}'`)]

  const [, from, to, step] = match
  const mistakes = [from, to]
    .filter((value) => value !== undefined)
    .filter((value) => Number(value) < min || Number(value) > max)
    .map((value) => wrong(`found ${value}`))
  if (from !== undefined && to !== undefined && Number(from) > Number(to)) {
    mistakes.push(wrong(`the range '${item}' runs backwards`))
  }
  if (step === undefined) return mistakes
  if (from !== undefined && to === undefined) {
    mistakes.push(`${name}: found '${item}'; a step needs a range, such as ${from}-${max}/${step}`)
  }
  const largest = max - min + 1
  if (Number(step) < 1 || Number(step) > largest) {
    mistakes.push(`${name}: found step ${step}; allowed is 1-${largest}`)
  }
  return mistakes
}

const describeRange = ({ min, max, note }: CronField): string =>
  `${min}-${max}${note === undefined ? '' : ` (${note})`}, also as *, lists, ranges and steps`

interface CronField {
  name: string
  min: number
  max: number
  note?: string
}

/** Spec 1, Cron expression format. */
const CRON_FIELDS: readonly CronField[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12 },
  { name: 'day of week', min: 0, max: 6, note: 'Sunday is 0' },
]
