import { type Document, isMap, isScalar, isSeq, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { mistake, unknownRule } from './edit-mistakes.ts'

/** Returns the list at a path and creates it if it is missing. */
export const listAt = (document: Document, path: readonly string[]): YAMLSeq => {
  const there = document.getIn(path, true)
  if (isSeq(there)) return there
  const list = new YAMLSeq(document.schema)
  const parent = path.slice(0, -1)
  if (parent.length > 0 && !isMap(document.getIn(parent, true))) {
    document.setIn(parent, new YAMLMap(document.schema))
  }
  document.setIn(path, list)
  return list
}

export const addTo = (list: YAMLSeq, item: unknown): void => {
  // YAML can write an empty list only as `[]`; entries go on lines of their own.
  if (list.items.length === 0) list.flow = false
  list.items.push(item)
}

/** Keeps the comments above the entry, because they may describe more than this entry. */
export const removeAt = (list: YAMLSeq, at: number): void => {
  const [removed] = list.items.splice(at, 1)
  const comment = isMap(removed) || isScalar(removed) ? removed.commentBefore : undefined
  if (comment === undefined || comment === null) return
  const next = list.items[at]
  if (isMap(next) || isScalar(next)) next.commentBefore = join(comment, next.commentBefore)
  else list.comment = join(list.comment, comment)
}

const join = (...comments: Array<string | null | undefined>): string =>
  comments.filter((each) => typeof each === 'string').join('\n')

export const patternsOf = (list: YAMLSeq): unknown[] =>
  list.items.map((item) => (isMap(item) ? item.get('pattern') : undefined))

export const textsOf = (list: YAMLSeq): unknown[] =>
  list.items.map((item) => (isScalar(item) ? item.value : item))

/** Identifies an entry by position, by text, or by both, which must then agree. */
export interface NamedEntry {
  /** For example `bash.blocked`. */
  where: string
  /** The name of the edit's field that holds `entry`. */
  field: 'pattern' | 'path'
  index?: number | undefined
  entry?: string | undefined
}

export const findEntry = (
  entries: readonly unknown[],
  { where, field, index, entry }: NamedEntry,
): number => {
  if (index === undefined) {
    if (entry === undefined) throw mistake('index', `give index or ${field}`)
    const at = entries.indexOf(entry)
    if (at === -1) throw unknownRule(`${where}: ${entry}`)
    return at
  }
  if (index >= entries.length) {
    throw mistake('index', `${where} has ${entries.length} entries; there is no ${index}`)
  }
  if (entry === undefined || entries[index] === entry) return index
  throw mistake(field, `${where}[${index}] is ${entries[index]}, not ${entry}`)
}

/** Single quotes, because regular expressions contain characters that are special in YAML. */
export const quoted = (text: string): Scalar => {
  const scalar = new Scalar(text)
  if (!/[\n\r\t\u0085\u2028\u2029]/.test(text)) scalar.type = Scalar.QUOTE_SINGLE
  return scalar
}

/** Removes every entry with this text from a list. */
export const removeText = (list: YAMLSeq, text: string): void => {
  for (let at = textsOf(list).indexOf(text); at !== -1; at = textsOf(list).indexOf(text)) {
    removeAt(list, at)
  }
}
