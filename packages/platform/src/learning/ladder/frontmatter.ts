/** The `key: value` lines between two `---` at the top of a Markdown file. */
interface Frontmatter {
  fields: ReadonlyMap<string, string>
  body: string
}

export type FrontmatterReading = Frontmatter | { fault: string }

const FENCE = /^---[ \t]*$/
const FIELD = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/
/** Comments, blank lines and continuations of the line above: lists, folded text. */
const NO_FIELD = /^(\s*$|\s*#|\s+\S|- )/

export const readFrontmatter = (text: string): FrontmatterReading => {
  const lines = linesOf(text)
  const end = endOf(lines)
  if (typeof end !== 'number') return end
  const fields = new Map<string, string>()
  for (const [index, line] of lines.slice(1, end).entries()) {
    if (NO_FIELD.test(line)) continue
    const [, name, value = ''] = FIELD.exec(line) ?? []
    if (name === undefined) return { fault: `line ${index + 2} is not "key: value"` }
    const read = readValue(value.trim())
    if (read === undefined) return { fault: `line ${index + 2}: the quote of ${name} never ends` }
    if (fields.has(name)) return { fault: `line ${index + 2}: ${name} is listed twice` }
    fields.set(name, read)
  }
  return { fields, body: lines.slice(end + 1).join('\n') }
}

/** Sets one field; all other lines, including comments, are unchanged. */
export const setFrontmatterField = (text: string, name: string, value: string): string => {
  const lines = text.split('\n')
  const end = endOf(linesOf(text))
  if (typeof end !== 'number') return text
  const written = `${name}: ${formatValue(value)}`
  const at = lines.findIndex(
    (line, index) => index < end && FIELD.exec(line.trimEnd())?.[1] === name,
  )
  const ending = lines[0]?.endsWith('\r') ? '\r' : ''
  lines.splice(at === -1 ? end : at, at === -1 ? 0 : 1, `${written}${ending}`)
  return lines.join('\n')
}

export const formatFrontmatter = (fields: Readonly<Record<string, string>>): string => {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${formatValue(value)}`)
  return `---\n${lines.join('\n')}\n---\n`
}

const linesOf = (text: string): string[] => text.replace(/^\uFEFF/, '').split(/\r?\n/)

const endOf = (lines: readonly string[]): number | { fault: string } => {
  if (!FENCE.test(lines[0] ?? '')) return { fault: 'it does not begin with frontmatter (---)' }
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line))
  return end === -1 ? { fault: 'its frontmatter never ends (---)' } : end
}

const DOUBLE_QUOTED = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/
const SINGLE_QUOTED = /^'((?:[^']|'')*)'\s*(?:#.*)?$/

const readValue = (text: string): string | undefined => {
  if (text.startsWith('"')) return parseQuoted(DOUBLE_QUOTED.exec(text)?.[1])
  if (text.startsWith("'")) return SINGLE_QUOTED.exec(text)?.[1]?.replaceAll("''", "'")
  return text.replace(/(^|\s+)#.*$/, '').trimEnd()
}

const parseQuoted = (quoted: string | undefined): string | undefined => {
  if (quoted === undefined) return undefined
  try {
    return String(JSON.parse(quoted))
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    // YAML has escapes that JSON lacks; fall back to the raw text between the quotes.
    return quoted.slice(1, -1)
  }
}

const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N} ,.()/'_-]*$/u
const SPECIAL = /^(true|false|yes|no|on|off|null|[\d.,_]+)$/i

/** Quoted if YAML could parse it as something other than this text. */
const formatValue = (value: string): string =>
  PLAIN.test(value) && !SPECIAL.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value)
