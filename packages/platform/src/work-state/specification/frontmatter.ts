export interface Frontmatter {
  /** Keys in lower case. */
  values: ReadonlyMap<string, string>
  /** The text below. */
  body: string
}

const FENCE = /^---[ \t]*$/

/** The `key: value` lines between `---` lines at the top; without them everything is body. */
export const readFrontmatter = (text: string): Frontmatter => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const end = FENCE.test(lines[0] ?? '')
    ? lines.findIndex((line, at) => at > 0 && FENCE.test(line))
    : -1
  if (end === -1) return { values: new Map(), body: lines.join('\n') }
  const values = new Map<string, string>()
  for (const line of lines.slice(1, end)) {
    const colon = line.indexOf(':')
    const key = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    const value = unquote(line.slice(colon + 1).trim())
    if (key !== '' && !key.startsWith('#') && value !== '') values.set(key, value)
  }
  return { values, body: lines.slice(end + 1).join('\n') }
}

const unquote = (value: string): string => {
  const quote = value[0]
  const isQuoted = value.length >= 2 && (quote === '"' || quote === "'") && value.endsWith(quote)
  return isQuoted ? value.slice(1, -1).trim() : value
}
