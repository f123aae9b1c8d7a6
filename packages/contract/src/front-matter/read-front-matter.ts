import { splitFrontMatter } from './split-front-matter.ts'

/** The `key: value` lines between two `---` at the top of a Markdown file, and the body below. */
export interface FrontMatter {
  fields: ReadonlyMap<string, string>
  /** Line endings are normalised to line feeds. */
  body: string
  /** Errors in order. Fields that could be read despite them are in `fields`. */
  faults: readonly string[]
}

const FIELD = /^([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)$/s
/** Comments, blank lines and continuations of the line above: lists, folded text. */
const NO_FIELD = /^(\s*$|\s*#|\s+\S|- )/

/** Reads front matter as plain lines, which is fast because no YAML library has to be loaded. */
export const readFrontMatter = (text: string): FrontMatter => {
  const {
    head,
    bodyStart,
    fault = 'it does not begin with frontmatter (---)',
  } = splitFrontMatter(text)
  const body = text.slice(bodyStart).replaceAll('\r\n', '\n')
  if (head === undefined) return { fields: new Map(), body, faults: [fault] }
  const fields = new Map<string, string>()
  const faults: string[] = []
  for (const [index, line] of head.text.split(/\r?\n/).entries()) {
    if (NO_FIELD.test(line)) continue
    const place = `line ${index + 2}`
    const [, name, value = ''] = FIELD.exec(line) ?? []
    if (name === undefined) {
      faults.push(`${place} is not "key: value"`)
      continue
    }
    const written = value.trim()
    const read = readValue(written)
    if (read === undefined) faults.push(`${place}: the quote of ${name} never ends`)
    if (fields.has(name)) faults.push(`${place}: ${name} is listed twice`)
    fields.set(name, read ?? withoutQuotes(written))
  }
  return { fields, body, faults }
}

const DOUBLE_QUOTED = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/
const SINGLE_QUOTED = /^'((?:[^']|'')*)'\s*(?:#.*)?$/
/**
 * People write `#` directly before a word as text (`fix #12`), so only `#` with a blank after it is
 * a comment.
 */
const COMMENT = /(?<!\S)#(?:\s|$)/

const readValue = (text: string): string | undefined => {
  if (text.startsWith('"')) return parseQuoted(DOUBLE_QUOTED.exec(text)?.[1])
  if (text.startsWith("'")) return SINGLE_QUOTED.exec(text)?.[1]?.replaceAll("''", "'")
  const comment = text.search(COMMENT)
  return (comment === -1 ? text : text.slice(0, comment)).trimEnd()
}

/** Removes quotes that are wrongly nested inside quotes. */
const withoutQuotes = (text: string): string =>
  text.length > 1 && text.endsWith(text[0] ?? '') ? text.slice(1, -1) : text

const parseQuoted = (quoted: string | undefined): string | undefined => {
  if (quoted === undefined) return undefined
  try {
    return String(JSON.parse(quoted))
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    // YAML has escapes that JSON does not; the text between the quotes is the fallback.
    return quoted.slice(1, -1)
  }
}
