/** A field as text or a list of texts; `null` for other shapes. */
export type FieldValue = string | readonly string[] | null
export type NoteFields = ReadonlyMap<string, FieldValue>

export interface SimpleReading {
  fields: Map<string, FieldValue>
  /** Whether every line was understood; if not, the YAML parser decides. */
  complete: boolean
}

const FIELD = /^([A-Za-z_][\w-]*):(?:[ \t]+([^ \t].*))?$/
const ITEM = /^[ \t]*-[ \t]+([^ \t].*)$/
const COMMENT = /^#/
/** Whether a tab is an indentation error depends on the context. */
const TAB_IN_FRONT = /^ *\t/

/**
 * Parses common frontmatter: `key: value`, `key: [a, b]` and lists of lines. It takes a twentieth
 * of the time of a full YAML parser, and gives up if it is not sure.
 */
export const readSimpleFields = (head: string): SimpleReading => {
  const fields = new Map<string, FieldValue>()
  let complete = true
  let list: { name: string; items: string[] } | undefined
  for (const written of head.split('\n')) {
    if (TAB_IN_FRONT.test(written)) complete = false
    const line = withoutEnd(written)
    if (line === '' || COMMENT.test(line)) continue
    const item = list === undefined ? undefined : ITEM.exec(line)?.[1]
    const scalar = item === undefined ? undefined : readScalar(item)
    if (list !== undefined && scalar !== undefined) {
      list.items.push(scalar)
      fields.set(list.name, list.items)
      continue
    }
    list = undefined
    const [, name, value = ''] = FIELD.exec(line) ?? []
    if (name === undefined || fields.has(name)) {
      complete = false
      continue
    }
    if (value === '') list = { name, items: [] }
    const read = value.startsWith('[') ? readFlow(value) : readScalar(value)
    if (read === undefined) complete = false
    else fields.set(name, read)
  }
  return { fields, complete }
}

/** Removes blanks and the line ending; a pattern would try each blank in a long run of them. */
const withoutEnd = (line: string): string => {
  let end = line.endsWith('\r') ? line.length - 1 : line.length
  while (line[end - 1] === ' ' || line[end - 1] === '\t') end--
  return line.slice(0, end)
}

const PLAIN_START = /^[^\s\-?:,[\]{}#&*!|>'"%@`]/
const NOT_PLAIN = /:(?:\s|$)|\s#|\p{C}/u
const DOUBLE = /^"[^"\\]*"$/
const SINGLE = /^'[^']*'$/

/** Undefined if YAML might parse it differently. */
const readScalar = (text: string): string | undefined => {
  if (text === '') return ''
  if (DOUBLE.test(text) || SINGLE.test(text)) return text.slice(1, -1)
  return PLAIN_START.test(text) && !NOT_PLAIN.test(text) ? text : undefined
}

const readFlow = (text: string): string[] | undefined => {
  if (!text.endsWith(']')) return undefined
  const inner = text.slice(1, -1).trim()
  if (inner === '') return []
  const items = inner.split(',').map((item) => readFlowItem(item.trim()))
  return items.every((item) => item !== undefined) ? items : undefined
}

const readFlowItem = (item: string): string | undefined => {
  if (item === '' || /[[\]{}]/.test(item.replace(/^"\[\[.*\]\]"$/, ''))) return undefined
  return readScalar(item)
}
