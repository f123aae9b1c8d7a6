const DATE_CHARS = 10
const ZERO = 0x30
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** The form that JavaScript writes; digits are where this has them. */
const FORM = Buffer.from('0000-00-00T00:00:00.000Z')
const IS_DIGIT = FORM.map((byte) => (byte === ZERO ? 1 : 0))

/** The date that was read last: rows of a file have few. */
const known = { year: -1, month: -1, day: -1, ms: 0 }

/** A time as `toISOString` writes it; undefined if it is written in another way. */
export const scanTime = (bytes: Buffer, from: number, to: number): number | undefined => {
  if (to - from !== FORM.length) return undefined
  for (let at = 0; at < FORM.length; at++) {
    const byte = bytes[from + at] ?? 0
    const isAsExpected = IS_DIGIT[at] === 1 ? byte >= ZERO && byte <= ZERO + 9 : byte === FORM[at]
    if (!isAsExpected) return undefined
  }
  const two = (at: number): number =>
    ((bytes[from + at] ?? 0) - ZERO) * 10 + (bytes[from + at + 1] ?? 0) - ZERO
  const year = two(0) * 100 + two(2)
  const month = two(5)
  const day = two(8)
  const hours = two(11)
  const minutes = two(14)
  const seconds = two(17)
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  if (known.year !== year || known.month !== month || known.day !== day) {
    const ms = Date.parse(bytes.toString('latin1', from, from + DATE_CHARS))
    if (Number.isNaN(ms)) return undefined
    Object.assign(known, { year, month, day, ms })
  }
  const millis = two(20) * 10 + (bytes[from + 22] ?? 0) - ZERO
  return known.ms + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS + millis
}
