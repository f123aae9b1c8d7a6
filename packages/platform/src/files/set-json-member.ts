/**
 * Sets the member at `path` in a JSON text; every other byte stays unchanged, including
 * indentation, order, numbers and line breaks. The text must be valid JSON with an object at its
 * root and along the path. Missing objects are created.
 */
export const setJsonMember = (text: string, path: readonly string[], value: unknown): string =>
  setIn(text, skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0), path, value)

/** Removes the member at `path`; unchanged if there is none. Every other byte stays as it is. */
export const removeJsonMember = (text: string, path: readonly string[]): string =>
  removeIn(text, skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0), path)

const removeIn = (text: string, objectAt: number, path: readonly string[]): string => {
  const [key = '', ...rest] = path
  if (text[objectAt] !== '{') return text
  const { at, members, closesAt } = readObject(text, objectAt)
  const index = members.findLastIndex((known) => known.key === key)
  const member = members[index]
  if (member === undefined) return text
  if (rest.length > 0) return removeIn(text, member.valueAt, rest)
  const before = members[index - 1]
  const after = members[index + 1]
  if (before !== undefined) return text.slice(0, before.end) + text.slice(member.end)
  if (after !== undefined) return text.slice(0, member.keyAt) + text.slice(after.keyAt)
  return text.slice(0, at + 1) + text.slice(closesAt)
}

const setIn = (text: string, objectAt: number, path: readonly string[], value: unknown): string => {
  const [key = '', ...rest] = path
  const object = readObject(text, objectAt)
  // Of two members with the same name, readers take the last.
  const member = object.members.findLast((known) => known.key === key)
  if (member === undefined) return insert(text, object, key, nest(rest, value))
  if (rest.length > 0) return setIn(text, member.valueAt, rest, value)
  return text.slice(0, member.valueAt) + JSON.stringify(value) + text.slice(member.end)
}

const nest = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value)

interface Member {
  key: string
  keyAt: number
  valueAt: number
  end: number
}

interface JsonObject {
  at: number
  members: Member[]
  /** The position of its closing brace. */
  closesAt: number
}

const insert = (text: string, object: JsonObject, key: string, value: unknown): string => {
  const last = object.members.at(-1)
  const style = styleOf(text, object)
  const json = JSON.stringify(value, null, style.unit)
  const placed = `${JSON.stringify(key)}: ${
    style.inLine
      ? json.replace(/\n\s*/g, ' ')
      : json.replaceAll('\n', style.lineBreak + style.indent)
  }`
  if (last === undefined) {
    const { lineBreak, indent, closingIndent } = style
    const inside = `${lineBreak}${indent}${placed}${lineBreak}${closingIndent}`
    return text.slice(0, object.at + 1) + inside + text.slice(object.closesAt)
  }
  const between = style.inLine ? ', ' : `,${style.lineBreak}${style.indent}`
  return text.slice(0, last.end) + between + placed + text.slice(last.end)
}

interface Style {
  inLine: boolean
  lineBreak: string
  /** The indentation of its members. */
  indent: string
  closingIndent: string
  unit: string
}

/** The style of its members; for an empty object that of the file. */
const styleOf = (text: string, { at, members }: JsonObject): Style => {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
  const closingIndent = indentAt(text, at)
  const [first] = members
  if (first === undefined) {
    return { inLine: false, lineBreak, indent: closingIndent + unit, closingIndent, unit }
  }
  const inLine = !text.slice(at, first.keyAt).includes('\n')
  return { inLine, lineBreak, indent: indentAt(text, first.keyAt), closingIndent, unit }
}

const indentAt = (text: string, offset: number): string => {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

const readObject = (text: string, at: number): JsonObject => {
  if (text[at] !== '{') throw new TypeError(`there is no JSON object at offset ${at}`)
  const members: Member[] = []
  let next = skipSpace(text, at + 1)
  while (text[next] === '"') {
    const keyEnd = skipString(text, next)
    const valueAt = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, valueAt)
    members.push({ key: String(JSON.parse(text.slice(next, keyEnd))), keyAt: next, valueAt, end })
    next = skipSpace(text, end)
    if (text[next] === ',') next = skipSpace(text, next + 1)
  }
  return { at, members, closesAt: next }
}

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (' \t\n\r'.includes(text[at] ?? '-')) at++
  return at
}

const skipString = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

const skipValue = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; at < text.length; ) {
    const char = text[at]
    if (char === '"') at = skipString(text, at)
    else {
      if (char === '{' || char === '[') depth++
      if (char === '}' || char === ']') depth--
      at++
    }
    if (depth === 0 && /^[\s,}\]]?$/.test(text[at] ?? '')) return at
  }
  return text.length
}
