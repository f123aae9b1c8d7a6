import type { CronField } from './cron-fields.ts'

/** Every mistake in one field: a list of `*`, numbers and ranges, each but a number with an optional step. */
export const checkCronField = (text: string, field: CronField): string[] =>
  text.split(',').flatMap((item) => checkItem(item, text, field))

const checkItem = (item: string, text: string, field: CronField): string[] => {
  const { name, min, max } = field
  const wrong = (what: string) => `${name}: ${what}; allowed is ${describeRange(field)}`
  if (item === '') return [wrong(`empty entry in '${text}'`)]

  const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(item)
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
