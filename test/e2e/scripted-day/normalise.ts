import { isJsonObject } from '@steward/contract'

/** Texts specific to one machine and run, with their names in the stored expectations. */
export interface Volatile {
  /** Longest first, because a folder's path contains its parent's. */
  names: ReadonlyArray<readonly [text: string, name: string]>
  /** The local day of the test; other days are counted relative to it. */
  today: string
}

/** Fields with measurements, or with counts of shipped content. */
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
/** Event ids of the security log start with their month. */
const MONTH = /\b\d{4}\/\d\d:/g
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** Ids of undoable changes, and of tasks after their words. */
const UNDO = /\b\d{6}-[0-9a-f]{8}\b/g
const TASK_ID = /\b([a-z]+(?:-[a-z]+)*)-[0-9a-f]{6}$/
const HASH = /\b[0-9a-f]{12,64}\b/g
const DAY_MS = 86_400_000

/**
 * Normalises a response for storage: times become `<time>`, days are relative to today, ids and
 * hashes get names, the policy file's own day (in UTC) becomes `<day>`, measurements become
 * `<number>`, and a text of several lines becomes a list of lines. Everything else is unchanged.
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
