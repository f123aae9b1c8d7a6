/** The members of an object or array, by key; undefined for other values. */
export const entriesOf = (value: unknown): [string, unknown][] | undefined => {
  if (Array.isArray(value)) return value.map((each, index) => [String(index), each])
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  return undefined
}

/** `{3 fields}`, `[1 entry]`. */
export const summarise = (value: unknown): string => {
  const count = entriesOf(value)?.length ?? 0
  if (Array.isArray(value)) return `[${count} ${count === 1 ? 'entry' : 'entries'}]`
  return `{${count} ${count === 1 ? 'field' : 'fields'}}`
}

const OPEN_DEPTH = 2
const OPEN_ENTRIES = 10

/** Whether it is initially closed: deep values, and lists that would fill the page. */
export const isFolded = (value: unknown, depth: number): boolean =>
  depth >= OPEN_DEPTH || (depth > 0 && (entriesOf(value)?.length ?? 0) > OPEN_ENTRIES)
