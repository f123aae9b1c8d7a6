const WIDTH = 100
const INDENT = '  '

/**
 * JSON for people to edit: what fits on a line is on one line, so that a source or a destination
 * can be replaced by editing a single one.
 */
export const formatJson = (value: unknown): string => `${format(value, '', 0)}\n`

/** `taken` is the width of what precedes the value on its line. */
const format = (value: unknown, indent: string, taken: number): string => {
  const short = oneLine(value)
  if (typeof value !== 'object' || value === null) return short
  if (indent !== '' && indent.length + taken + short.length < WIDTH) return short
  const inner = indent + INDENT
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((each) => `${inner}${format(each, inner, 0)}`)
    : Object.entries(value).map(([name, each]) => {
        const key = `${JSON.stringify(name)}: `
        return `${inner}${key}${format(each, inner, key.length)}`
      })
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

export const oneLine = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${oneLine(each)}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
