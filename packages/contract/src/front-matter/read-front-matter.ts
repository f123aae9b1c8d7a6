import { splitFrontMatter } from './split-front-matter.ts'

/** The `key: value` lines between two `---` at the top of a Markdown file, and what stands below. */
export interface FrontMatter {
  fields: ReadonlyMap<string, string>
  /** Its lines end in a line feed, whatever they ended in. */
  body: string
  /** What is wrong with it, in order. What could be read all the same is in `fields`. */
  faults: readonly string[]
}

const FIELD = /^([A-Za-z_][\w-]*)[ \t]*:[ \t]*(.*)$/
/** Comments, blank lines and what belongs to the line above: lists, folded text. */
const NO_FIELD = /^(\s*$|\s*#|\s+\S|- )/

/** Reads front matter that is no more than lines of text; quick, since no YAML has to be loaded for it. */
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
    if (fields.has(name)) faults.push(`${place}: ${name} stands there twice`)
    fields.set(name, read ?? withoutQuotes(written))
  }
  return { fields, body, faults }
}

const DOUBLE_QUOTED = /^("(?:[^"\\]|\\.)*")\s*(?:#.*)?$/
const SINGLE_QUOTED = /^'((?:[^']|'')*)'\s*(?:#.*)?$/
/** A number sign with a word behind it is text to people (`fix #12`), though not to YAML. */
const COMMENT = /(^|\s+)#(\s.*)?$/

const readValue = (text: string): string | undefined => {
  if (text.startsWith('"')) return parseQuoted(DOUBLE_QUOTED.exec(text)?.[1])
  if (text.startsWith("'")) return SINGLE_QUOTED.exec(text)?.[1]?.replaceAll("''", "'")
  return text.replace(COMMENT, '').trimEnd()
}

/** For quotes that stand inside of quotes and should not. */
const withoutQuotes = (text: string): string =>
  text.length > 1 && text.endsWith(text[0] ?? '') ? text.slice(1, -1) : text

const parseQuoted = (quoted: string | undefined): string | undefined => {
  if (quoted === undefined) return undefined
  try {
    return String(JSON.parse(quoted))
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    // YAML knows escapes that JSON does not; the text between the quotes is the next best.
    return quoted.slice(1, -1)
  }
}
