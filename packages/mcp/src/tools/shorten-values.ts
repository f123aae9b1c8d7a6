import { isJsonObject } from '@steward/contract'

const MOST_ITEMS = 100
const DEEPEST = 20

/** Shortens long texts and lists in a value and counts what was cut. */
export const shortenValues = (value: unknown, maxChars: number, level = 0): unknown => {
  if (typeof value === 'string') return shortenText(value, maxChars)
  if (Array.isArray(value)) {
    if (level >= DEEPEST) return `(a list of ${value.length})`
    const shown = value.slice(0, MOST_ITEMS).map((item) => shortenValues(item, maxChars, level + 1))
    const left = value.length - shown.length
    return left === 0 ? shown : [...shown, `… and ${left} more`]
  }
  if (!isJsonObject(value)) return value
  if (level >= DEEPEST) return '(nested too deeply to show)'
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shortenValues(item, maxChars, level + 1)]),
  )
}

const shortenText = (text: string, maxChars: number): string =>
  text.length <= maxChars
    ? text
    : `${text.slice(0, maxChars).toWellFormed()}… (${text.length - maxChars} more characters)`
