import { isJsonObject } from '@steward/contract'

/** Texts of one machine and one run, by what they are called in the stored expectations. */
export interface Volatile {
  /** Longest first: a folder's name contains its parent's. */
  names: ReadonlyArray<readonly [text: string, name: string]>
  /** The local day of the test; other days are counted from here. */
  today: string
}

/** Fields whose value is a measurement, or counts what the program ships with. */
const MEASURED: ReadonlySet<string> = new Set([
  'score',
  'points',
  'uptime_ms',
  'lastDurationMs',
  'medianDurationMs',
  'totalPages',
  'totalSystem',
  'pulse',
])

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g
const DAY = /\d{4}-\d\d-\d\d/g
/** Events of the security log are named after their month. */
const MONTH = /\b\d{4}\/\d\d:/g
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** Of a change that can be taken back, and of a task behind its words. */
const UNDO = /\b\d{6}-[0-9a-f]{8}\b/g
const TASK_ID = /\b([a-z]+(?:-[a-z]+)*)-[0-9a-f]{6}$/
const HASH = /\b[0-9a-f]{12,64}\b/g
const DAY_MS = 86_400_000

/**
 * An answer as it is stored: times are `<time>`, days so many from today, ids and hashes are named so,
 * the policy file's own day (in UTC) `<day>`,
 * what was measured is `<number>`, and a text of several lines is a list of them. All else is as it came.
 */
export const normalise = (value: unknown, { names, today }: Volatile): unknown => {
  const dayOf = (day: string): string => {
    const days = Math.round((Date.parse(day) - Date.parse(today)) / DAY_MS)
    if (Number.isNaN(days)) return day
    return days === 0 ? '<today>' : `<today${days > 0 ? '+' : ''}${days}>`
  }
  const textOf = (text: string): string =>
    names
      .reduce((changed, [from, name]) => changed.replaceAll(from, name), text)
      .replace(TIME, '<time>')
      .replace(ID, '<id>')
      .replace(UNDO, '<undo>')
      .replace(TASK_ID, '$1-<id>')
      .replace(HASH, '<hash>')
      .replace(MONTH, '<month>:')
      .replace(DAY, dayOf)
  const walk = (each: unknown, key: string): unknown => {
    if (typeof each === 'number' && MEASURED.has(key)) return '<number>'
    if (key === 'lastUpdated') return '<day>'
    if (typeof each === 'string') {
      const text = textOf(each)
      return text.includes('\n') ? text.split('\n') : text
    }
    if (Array.isArray(each)) return each.map((item) => walk(item, key))
    if (!isJsonObject(each)) return each
    return Object.fromEntries(
      Object.entries(each).map(([name, item]) => [textOf(name), walk(item, name)]),
    )
  }
  return walk(value, '')
}
