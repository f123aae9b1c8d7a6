import { fail, ok, type Result, StewardError } from '@steward/contract'
import { DAY_PARTS } from './words.ts'

export interface ClockTime {
  hour: number
  minute: number
}

const ONE = String.raw`(?:\d{1,2}(?:[:.]\d{2})?\s?(?:am|pm|a\.m\.|p\.m\.)?(?:\s?o'?clock)?|noon|midnight)`
const TIMES = new RegExp(
  String.raw`\b(?:at|@)\s*(${ONE}(?:\s*(?:,|and|&)\s*(?:at\s)?${ONE})*)(?=\s|$|,)`,
)
const PART = /\b(?:in the |every |each |this )?(morning|afternoon|evening|night)s?\b/

/** Extracts the times from a phrase: `every weekday at 9 and 17:30` leaves `every weekday`. */
export const takeTimes = (phrase: string): Result<{ times: ClockTime[]; rest: string }> => {
  const match = TIMES.exec(phrase)
  if (match === null) return ok({ times: [], rest: phrase })
  const part = PART.exec(phrase)?.[1]
  const times: ClockTime[] = []
  for (const word of (match[1] ?? '').split(/\s*(?:,|and|&)\s*(?:at\s)?/)) {
    const time = parseTime(word.trim(), part)
    if (time === undefined) {
      const reason = `'${word.trim()}' is not a time of day; write 9, 9:30, 9am, 21:15, noon or midnight`
      return fail(
        new StewardError('invalid_input', { subject: 'schedule', reason, field: 'schedule' }),
      )
    }
    times.push(time)
  }
  const rest = `${phrase.slice(0, match.index)} ${phrase.slice(match.index + match[0].length)}`
  return ok({ times, rest: rest.replace(/\s+/g, ' ').trim() })
}

const parseTime = (word: string, part: string | undefined): ClockTime | undefined => {
  const named = DAY_PARTS.get(word)
  if (named !== undefined) return { hour: named, minute: 0 }
  const match = /^(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm|a\.m\.|p\.m\.)?/.exec(word)
  if (match === null) return undefined
  const [, hours, minutes = '0', half] = match
  const [given, minute] = [Number(hours), Number(minutes)]
  if (half !== undefined && (given < 1 || given > 12)) return undefined
  const isLate = half?.startsWith('p') ?? (isEvening(part) && given >= 1 && given < 12)
  const isMidnight = half?.startsWith('a') && given === 12
  const hour = isMidnight ? 0 : isLate && given < 12 ? given + 12 : given
  return hour > 23 || minute > 59 ? undefined : { hour, minute }
}

const isEvening = (part: string | undefined): boolean =>
  part === 'afternoon' || part === 'evening' || part === 'night'
