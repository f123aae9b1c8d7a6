import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Cron, isDue, nextTime, nextTimes } from './cron-times.ts'
import { parseCron } from './parse-cron.ts'

const parsed = (text: string): Cron => {
  const result = parseCron(text)
  if (!result.ok) throw result.error
  return result.value
}

const messageOf = (text: string): string => {
  const result = parseCron(text)
  return result.ok ? 'accepted' : result.error.message
}

const isoTimes = (text: string, after: string, count: number) =>
  nextTimes(parsed(text), new Date(after), count).map((time) => time.toISOString())

test('supports the forms of the spec', () => {
  expect(isoTimes('*/5 * * * *', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2026-01-01T00:05:00.000Z',
    '2026-01-01T00:10:00.000Z',
  ])
  expect(isoTimes('0 */6 * * *', '2026-01-01T00:00:00Z', 2)).toEqual([
    '2026-01-01T06:00:00.000Z',
    '2026-01-01T12:00:00.000Z',
  ])
  expect(isoTimes('0 9 * * 1-5', '2026-01-02T09:00:00Z', 2)).toEqual([
    '2026-01-05T09:00:00.000Z',
    '2026-01-06T09:00:00.000Z',
  ])
  expect(isoTimes('0 0 * * *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-02T00:00:00.000Z'])
})

test('finds a leap day across a century without one', () => {
  expect(nextTime(parsed('0 0 29 2 *'), new Date('2096-03-01T00:00:00Z'))).toEqual(
    new Date('2104-02-29T00:00:00Z'),
  )
})

test('days that a month lacks do not hide the first days of the next one', () => {
  const next = (text: string, after: string) => isoTimes(text, after, 1)[0]
  expect(next('0 0 1,16,31 * *', '2030-02-26T00:00:00Z')).toBe('2030-03-01T00:00:00.000Z')
  expect(next('0 8 */15 * *', '2030-02-20T00:00:00Z')).toBe('2030-03-01T08:00:00.000Z')
  expect(next('0 * */15 * 0-0', '2030-02-26T00:00:00Z')).toBe('2030-03-01T00:00:00.000Z')
  expect(next('0 0 1,30 * *', '2028-02-29T12:00:00Z')).toBe('2028-03-01T00:00:00.000Z')
  expect(next('0 0 1,31 * *', '2030-04-30T12:00:00Z')).toBe('2030-05-01T00:00:00.000Z')
})

test('a minute is due from its first to its last millisecond', () => {
  const cron = parsed('30 2 * * *')
  expect(isDue(cron, new Date('2026-03-08T02:30:00.000Z'))).toBe(true)
  expect(isDue(cron, new Date('2026-03-08T02:30:59.999Z'))).toBe(true)
  expect(isDue(cron, new Date('2026-03-08T02:31:00.000Z'))).toBe(false)
})

test('a mistake names the field, the value and what is allowed', () => {
  const also = 'also as *, lists, ranges and steps'
  expect(messageOf('60 * * * *')).toBe(
    `cron '60 * * * *': minute: found 60; allowed is 0-59, ${also}`,
  )
  expect(messageOf('* * 0 * *')).toContain('day of month: found 0; allowed is 1-31')
  expect(messageOf('* * * * 7')).toContain('day of week: found 7; allowed is 0-6 (Sunday is 0)')
  expect(messageOf('* * * JAN *')).toContain("month: found 'JAN'; allowed is 1-12")
  expect(messageOf('* 5-2 * * *')).toContain("hour: the range '5-2' runs backwards")
  expect(messageOf('5/10 * * * *')).toContain('a step needs a range, such as 5-59/10')
  expect(messageOf('*/0 * * * *')).toContain('minute: found step 0; allowed is 1-60')
  expect(messageOf('1,,2 * * * *')).toContain("minute: empty entry in '1,,2'")
})

test('reports several mistakes together', () => {
  const message = messageOf('61 24 0 13 7')
  for (const field of ['minute: found 61', 'hour: found 24', 'day of month: found 0']) {
    expect(message).toContain(field)
  }
  expect(message).toContain('month: found 13')
  expect(message).toContain('day of week: found 7')
})

test('requires exactly five fields', () => {
  expect(messageOf('* * * *')).toContain('has 4 fields, and needs exactly 5: minute, hour')
  expect(messageOf('0 * * * * *')).toContain('has 6 fields')
  expect(messageOf('@daily')).toContain('has 1 fields')
  expect(messageOf('')).toContain('has 0 fields')
})

test('rejects a date that never occurs', () => {
  expect(messageOf('0 0 30 2 *')).toContain('never occurs: no month of 2 has a day 30')
  expect(parseCron('0 0 30 2 1').ok).toBe(true)
})

const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const

const stepped = (text: string, largest: number) =>
  fc.option(fc.integer({ min: 1, max: largest }), { nil: undefined }).map((step) => ({
    text: step === undefined ? text : `${text}/${step}`,
    step: step ?? 1,
  }))

/** One list entry as text, and the values that it means by definition. */
const entry = (min: number, max: number) => {
  const pick = (from: number, to: number, step: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index).filter(
      (value) => (value - from) % step === 0,
    )
  const number = fc.integer({ min, max }).map((value) => ({ text: String(value), values: [value] }))
  const range = fc
    .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    .chain(([from, to]) =>
      stepped(`${from}-${to}`, max - min + 1).map(({ text, step }) => ({
        text,
        values: pick(from, to, step),
      })),
    )
  const star = stepped('*', max - min + 1).map(({ text, step }) => ({
    text,
    values: pick(min, max, step),
  }))
  return fc.oneof(number, range, star)
}

const field = ([min, max]: readonly [number, number]) =>
  fc.oneof(
    fc.constant({ text: '*', values: new Set<number>() }),
    fc.array(entry(min, max), { minLength: 1, maxLength: 3 }).map((entries) => ({
      text: entries.map(({ text }) => text).join(','),
      values: new Set(entries.flatMap(({ values }) => values)),
    })),
  )

const expression = fc.tuple(...FIELDS.map(field)).map((fields) => ({
  text: fields.map(({ text }) => text).join(' '),
  fits: (time: Date): boolean => {
    const found = [
      time.getUTCMinutes(),
      time.getUTCHours(),
      time.getUTCDate(),
      time.getUTCMonth() + 1,
      time.getUTCDay(),
    ]
    const [minute, hour, day, month, weekday] = fields.map(
      ({ text, values }, index) => text === '*' || values.has(found[index] ?? -1),
    )
    const bothDaysGiven = fields[2]?.text !== '*' && fields[4]?.text !== '*'
    const dayFits = bothDaysGiven ? day || weekday : day && weekday
    return Boolean(minute && hour && month && dayFits)
  },
}))

const instant = fc.date({
  min: new Date('2024-01-01T00:00:00Z'),
  max: new Date('2032-01-01T00:00:00Z'),
  noInvalidDate: true,
})

test('matches the definition of the fields', () => {
  fc.assert(
    fc.property(expression, fc.array(instant, { minLength: 20, maxLength: 20 }), (cron, times) => {
      const result = parseCron(cron.text)
      if (!result.ok) {
        expect(result.error.message).toContain('never occurs')
        return
      }
      for (const time of times) expect(isDue(result.value, time)).toBe(cron.fits(time))
    }),
    { numRuns: 300 },
  )
})

test('the next time matches, and no earlier minute does', () => {
  fc.assert(
    fc.property(expression, instant, (cron, after) => {
      const result = parseCron(cron.text)
      if (!result.ok) {
        expect(result.error.message).toContain('never occurs')
        return
      }
      const next = nextTime(result.value, after)
      const first = Math.floor(after.getTime() / 60_000) + 1
      const last = Math.min(next ? next.getTime() / 60_000 : Infinity, first + 3 * 24 * 60)
      for (let minute = first; minute < last; minute++) {
        if (cron.fits(new Date(minute * 60_000))) throw new Error(`missed minute ${minute}`)
      }
      if (next) expect(cron.fits(next) && next.getTime() % 60_000 === 0).toBe(true)
    }),
    { numRuns: 100 },
  )
})

test('no text makes it throw', () => {
  const noise = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('*', '/', '-', ',', '0', '7', '61', 'L', '#', '?', 'W', ' '))
      .map((all) => all.join('')),
  )
  fc.assert(
    fc.property(noise, (text) => {
      const result = parseCron(text)
      if (!result.ok) expect(result.error.code).toBe('invalid_input')
    }),
    { numRuns: 2000 },
  )
})
