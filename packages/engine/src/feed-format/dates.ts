import { monthOf } from './months.ts'
import { zoneMinutes } from './zones.ts'

/**
 * A feed's date as ISO 8601 in UTC, or null if it is invalid. Parses RFC 822 and its many variants,
 * partial and full W3CDTF and ISO 8601, asctime, Unix time in seconds or milliseconds, and month
 * names in common languages. A date without a zone counts as UTC; a day beyond its month's end (31
 * June) overflows into the next month, as in other readers.
 */
export const parseDate = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || text.length > 200) return null
  const clean = tidy(text)
  if (clean === '') return null
  return readUsual(clean) ?? readDigits(clean) ?? readIso(clean) ?? readWords(clean)
}

const tidy = (text: string): string => {
  const plain = text.trim()
  if (PLAIN_ASCII.test(plain)) return plain
  return plain
    .replace(/[\u200e\u200f\u202a-\u202e\ufeff]/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/(\d{4})\s*[년年]\s*(\d{1,2})\s*[월月]\s*(\d{1,2})\s*[일日号]?/, '$1-$2-$3 ')
    .replace(/(?:오전|上午|午前)\s*([\d:]+)/, '$1 AM')
    .replace(/(?:오후|下午|午後)\s*([\d:]+)/, '$1 PM')
    .replace(/(\d{1,2})\s*[시時时点]\s*(\d{1,2})\s*[분分](?:\s*(\d{1,2})\s*[초秒])?/, '$1:$2:$3')
    .replace(/:(?=\s|$)/, '')
    .replace(/\s+/gu, ' ')
    .concat(/[년오]/.test(plain) ? ' KST' : '')
    .trim()
}
const PLAIN_ASCII = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

interface Moment {
  year: number
  month?: number
  day?: number
  hour?: number
  minute?: number
  second?: number
  ms?: number
  zone?: number
}

const toIso = (moment: Moment): string | null => {
  const { year, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0, zone = 0 } = moment
  if (month < 1 || month > 12 || day < 1 || day > 31) return null
  if (hour > 24 || minute > 59 || second > 61) return null
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute - zone, Math.min(second, 59), ms)
  return toIsoTime(date.getTime())
}

/** Some systems write year 1 for "no date". */
const toIsoTime = (ms: number): string | null => {
  const date = new Date(ms)
  const year = date.getUTCFullYear()
  return year >= 2 && year <= 9999 ? date.toISOString() : null
}

const USUAL =
  /^(?:[A-Za-z]{3,9}, )?(\d{1,2}) ([A-Za-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|UTC|([+-])(\d\d)(\d\d))$/

/**
 * Fast path for standard RFC 822, which most dates are; the other parsers handle it too, but
 * slower.
 */
const readUsual = (text: string): string | null => {
  const match = USUAL.exec(text)
  const month = match === null ? undefined : monthOf(match[2] ?? '')
  if (match === null || month === undefined) return null
  const [, day, , year, hour, minute, second, sign, zoneHours = '0', zoneMinute = '0'] = match
  const zone = Number(zoneHours) * 60 + Number(zoneMinute)
  if (zone > 18 * 60) return null
  return toIso({
    ...{ year: Number(year), month, day: Number(day) },
    ...{ hour: Number(hour), minute: Number(minute), second: Number(second) },
    zone: sign === '-' ? -zone : zone,
  })
}

/** Only digits: a year, year and month, a basic date, an ordinal date, or Unix time. */
const readDigits = (text: string): string | null => {
  if (!/^\d+(?:\.\d+)?$/.test(text)) return null
  const part = (from: number, to: number) => Number(text.slice(from, to))
  const [whole = ''] = text.split('.')
  switch (whole.length) {
    case 4:
      return toIso({ year: Number(whole) })
    case 5:
      return ordinal(fullYear(text.slice(0, 2)), part(2, 5))
    case 6:
      // 200312 is a month; 031231 would be month 31 of the year 312.
      return /^(?:19|20)(?:\d\d)(?:0[1-9]|1[0-2])$/.test(whole)
        ? toIso({ year: part(0, 4), month: part(4, 6) })
        : toIso({ year: fullYear(text.slice(0, 2)), month: part(2, 4), day: part(4, 6) })
    case 7:
      return ordinal(part(0, 4), part(4, 7))
    case 8:
      return toIso({ year: part(0, 4), month: part(4, 6), day: part(6, 8) })
    case 9:
    case 10:
      return toIsoTime(Number(text) * 1000)
    case 12:
    case 13:
      return toIsoTime(Number(whole))
    case 14:
      return toIso({
        ...{ year: part(0, 4), month: part(4, 6), day: part(6, 8) },
        ...{ hour: part(8, 10), minute: part(10, 12), second: part(12, 14) },
      })
    default:
      return null
  }
}

const ISO_DATE =
  /^(?:[^\W\d]{2,9}\.?,? )?(\d{4})(?:(?:-|\/|\.|:(?=\d\d:\d\d[ T]))(\d{1,2})(?:[-/.:](\d{1,2}))?|(\d\d)(\d\d)(?=T)|-?W(\d\d)(?:-?(\d))?|-?(\d{3})(?!\d))?(?:T?$|[T ,]+(?=\d)|(?=Z$|[+-]\d\d:\d\d$))/iu
const ISO_TIME =
  /^(\d{1,2})(?::?(\d{1,2})(?::?(\d{1,2})(?:[.,:](\d+))?)?)?\s*([ap]\.?m\.?)?\s*(.*)$/i

const readIso = (text: string): string | null => {
  const match = ISO_DATE.exec(text) ?? ISO_DATE.exec(respell(text))
  if (match === null) return null
  const [all, year = '', month, day, basicMonth, basicDay, week, weekday, dayOfYear] = match
  const rest = match.input.slice(all.length)
  const time = rest === '' ? {} : readIsoTime(rest)
  if (time === null) return null
  if (dayOfYear !== undefined) return ordinal(Number(year), Number(dayOfYear), time)
  if (week !== undefined) return weekDate(Number(year), Number(week), Number(weekday ?? 1), time)
  return toIso({
    year: Number(year),
    month: Number(month ?? basicMonth ?? 1),
    day: Number(day ?? basicDay ?? 1),
    ...time,
  })
}

/** `2004-július-13` to `2004-7-13`; likewise `2003-012-31`, `2021. 3. 4.` and `-03-12`. */
const respell = (text: string): string =>
  text
    .replace(/^-(\d\d)-?(\d\d)$/, (_, year, month) => `${fullYear(String(year))}-${String(month)}`)
    .replace(/^(\d{4})(?:-0(?=\d\d-)|\. ?)(\d{1,2})(?:-|\. ?)(\d{1,2})\.?/, '$1-$2-$3')
    .replace(/^(\d{4})[-. ]+([\p{L}\p{M}]+)\.?[-. ]+(\d{1,2})\.?/u, (all, year, name, day) => {
      const month = monthOf(String(name))
      return month === undefined ? String(all) : `${String(year)}-${month}-${String(day)}`
    })

const readIsoTime = (text: string): Partial<Moment> | null => {
  if (!/^\d/.test(text)) return { zone: zoneMinutes(text) ?? 0 }
  const match = ISO_TIME.exec(text)
  if (match === null) return null
  const [, hour, minute = '0', second = '0', fraction = '0', half, zoneText = ''] = match
  const zone = zoneText === '' ? 0 : zoneMinutes(zoneText)
  return {
    hour: toHour(Number(hour), half),
    minute: Number(minute),
    second: Number(second),
    ms: Math.floor(Number(`0.${fraction}`) * 1000),
    zone: zone ?? 0,
  }
}

const ordinal = (year: number, day: number, time: Partial<Moment> = {}): string | null => {
  if (day < 1 || day > 366) return null
  return shiftDays(toIso({ year, ...time }), day - 1)
}

/** ISO 8601 week 1 is the one with 4 January; weeks start on Monday. */
const weekDate = (
  year: number,
  week: number,
  weekday: number,
  time: Partial<Moment>,
): string | null => {
  if (week < 1 || week > 53 || weekday < 1 || weekday > 7) return null
  const fourth = new Date(Date.UTC(year, 0, 4)).getUTCDay() || 7
  return shiftDays(toIso({ year, month: 1, day: 4, ...time }), (week - 1) * 7 + weekday - fourth)
}

const shiftDays = (iso: string | null, days: number): string | null =>
  iso === null ? null : toIsoTime(Date.parse(iso) + days * 86_400_000)

const toHour = (hour: number, half: string | undefined): number => {
  if (half === undefined) return hour
  const isAfternoon = /^p/i.test(half)
  if (hour === 12) return isAfternoon ? 12 : 0
  return isAfternoon && hour < 12 ? hour + 12 : hour
}

const TIME = /(?:^|[ T,])(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,:](\d+))?)?(?: ?([ap]\.?m\b\.?))?/i

/**
 * Everything with a month name or a numeric date in another order: first the time, then the rest.
 */
const readWords = (words: string): string | null => {
  const text = words.replace(BARE_TIME, '$1 $2:$3')
  const time = TIME.exec(text)
  const before = time === null ? text : text.slice(0, time.index)
  const after = time === null ? '' : text.slice(time.index + time[0].length)
  const date = readDate(before, after)
  if (date === null) return null
  const [, hour = '0', minute = '0', second = '0', fraction = '0', half] = time ?? []
  return toIso({
    ...date,
    hour: toHour(Number(hour), half),
    minute: Number(minute),
    second: Number(second),
    ms: Math.floor(Number(`0.${fraction}`) * 1000),
    zone: zoneMinutes(after) ?? 0,
  })
}

/** RFC 822 allows `3 Apr 02 1500 GMT`; only after a complete date is it certainly not a year. */
const BARE_TIME = /(\d [a-z]{3,9} \d\d(?:\d\d)?) ([01]\d|2[0-3])([0-5]\d)(?= |$)/i

const NUMERIC_DATE = /(?:^|[ ,])(\d{1,4})([/.-])(\d{1,2})\2(\d{2,4})(?=$|[ ,T])/

const readDate = (before: string, after: string): Moment | null => {
  const numeric = NUMERIC_DATE.exec(before)
  if (numeric !== null) return readNumericDate(numeric)
  // asctime puts the year after the time: `Sun Jan 4 16:29:06 PST 2004`
  const tokens = `${before} ${after.replace(/[+-]\d+(?::\d+)?/g, ' ')}`.match(WORD_OR_NUMBER) ?? []
  let month: number | undefined
  const numbers: string[] = []
  for (const token of tokens) {
    if (/^\d/.test(token)) numbers.push(token)
    // The last match wins: `mar. 5 janv.` begins with a Tuesday that looks like March.
    else month = monthOf(token) ?? month
  }
  if (month === undefined) return null
  const yearAt = numbers.findIndex((number) => number.length >= 3)
  const [first, second] = numbers
  if (yearAt === -1) {
    if (first === undefined || second === undefined) return null
    return { year: fullYear(second), month, day: Number(first) }
  }
  const year = fullYear(numbers[yearAt] ?? '')
  return { year, month, day: Number(numbers.find((_, index) => index !== yearAt) ?? 1) }
}
const WORD_OR_NUMBER = /\d+|[\p{L}\p{M}]+/gu

const readNumericDate = (match: RegExpExecArray): Moment | null => {
  const [, a = '', separator, b = '', c = ''] = match
  if (a.length >= 3) return { year: Number(a), month: Number(b), day: Number(c) }
  if (c.length === 2 && separator === '-') {
    return { year: fullYear(a), month: Number(b), day: Number(c) }
  }
  const isMonthFirst = separator === '/' && Number(a) <= 12
  return isMonthFirst
    ? { year: fullYear(c), month: Number(a), day: Number(b) }
    : { year: fullYear(c), month: Number(b), day: Number(a) }
}

/** Two digits mean 1969 to 2068; three are counted from 1900 by a broken program. */
const fullYear = (digits: string): number => {
  const year = Number(digits)
  if (digits.length >= 4) return year
  if (digits.length === 3) return 1900 + year
  return year < 69 ? 2000 + year : 1900 + year
}
