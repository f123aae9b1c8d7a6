import { isJsonObject, type JsonObject, reasonOf, StewardError } from '@steward/contract'

export interface EncodedRow {
  /** The JSON text with its line break. */
  line: Buffer
  /** Whether parts were removed to stay within the limit. */
  shortened: boolean
}

/** Present in a shortened row: its original size. */
const SHORTENED_KEY = 'shortened_from_bytes'

/** Tried in turn until the row fits: the longest text and the most items to keep. */
const CUTS = [
  { chars: 4096, items: 200 },
  { chars: 512, items: 50 },
  { chars: 128, items: 10 },
]

/**
 * A row as one line of a log. A row above `maxBytes` is shortened: long texts and lists end in a
 * note of how much is missing, and `shortened_from_bytes` marks the row. A row that still does not
 * fit, or has no JSON form, is refused.
 */
export const encodeRow = (path: string, row: JsonObject, maxBytes: number): EncodedRow => {
  const line = toLine(path, row)
  if (line.length <= maxBytes) return { line, shortened: false }
  const mark = { [SHORTENED_KEY]: line.length }
  for (const { chars, items } of CUTS) {
    const cut = cutDown(toPlain(line), chars, items, 0)
    const shorter = toLine(path, isJsonObject(cut) ? { ...cut, ...mark } : mark)
    if (shorter.length <= maxBytes) return { line: shorter, shortened: true }
  }
  const reason = `a row of ${line.length} bytes is above the limit of ${maxBytes} and cannot be shortened`
  throw new StewardError('storage_failed', { path, reason })
}

const toLine = (path: string, row: JsonObject): Buffer => {
  let text: string | undefined
  try {
    text = JSON.stringify(row)
  } catch (thrown) {
    const reason = `the row has no JSON form: ${reasonOf(thrown)}`
    throw new StewardError('storage_failed', { path, reason }, thrown)
  }
  if (text === undefined || !text.startsWith('{')) {
    throw new StewardError('storage_failed', { path, reason: 'the row is not a JSON object' })
  }
  return Buffer.from(`${text}\n`)
}

/** The row after `toJSON`, so that cutting sees what is written. */
const toPlain = (line: Buffer): unknown => JSON.parse(line.toString())

const DEEPEST_LEVEL = 8

const cutDown = (value: unknown, chars: number, items: number, level: number): unknown => {
  if (typeof value === 'string') return cutText(value, chars)
  if (Array.isArray(value)) {
    if (level >= DEEPEST_LEVEL) return `[${value.length} items left out]`
    const kept = value.slice(0, items).map((item) => cutDown(item, chars, items, level + 1))
    const missing = value.length - kept.length
    return missing === 0 ? kept : [...kept, `[${missing} more items]`]
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
  if (level >= DEEPEST_LEVEL) return `[${entries.length} fields left out]`
  const kept = entries
    .slice(0, items)
    .map(([key, item]) => [cutText(key, chars), cutDown(item, chars, items, level + 1)])
  const missing = entries.length - kept.length
  return Object.fromEntries(missing === 0 ? kept : [...kept, ['fields_left_out', missing]])
}

const cutText = (text: string, chars: number): string =>
  text.length <= chars ? text : `${text.slice(0, chars)}… [${text.length - chars} more characters]`
