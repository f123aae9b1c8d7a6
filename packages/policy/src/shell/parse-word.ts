import { decodeAnsiC } from './ansi-c.ts'
import { Cursor } from './cursor.ts'
import type { Script, Word, WordPart } from './syntax.ts'

/** How a word's parser reads the commands inside it. */
export interface ScriptReaders {
  /** The script up to the closing parenthesis, which is taken. */
  inParentheses: (cursor: Cursor) => Script
  /** The script that a text of its own holds. */
  ofText: (text: string, depth: number) => Script
}

const ENDS_WORD = /[\s;&|()<>]/
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const SPECIAL = /[0-9@*#?$!_-]/y
const OPERATOR = /:[-=?+]|##?|%%?|\/\/?|\^\^?|,,?|[-=?+:@]/y

/** Reads one word; nothing when none starts here. */
export const parseWord = (cursor: Cursor, readers: ScriptReaders): Word | undefined => {
  const start = cursor.position
  const parts = readParts(cursor, readers, (char) => ENDS_WORD.test(char))
  return cursor.position === start ? undefined : { parts, start, end: cursor.position }
}

/** A text in which only expansions are read: the body of a here-document, an arithmetic expression. */
export const parseExpansions = (cursor: Cursor, readers: ScriptReaders): WordPart[] =>
  readQuoted(cursor, readers, '')

const readParts = (
  cursor: Cursor,
  readers: ScriptReaders,
  isEnd: (char: string) => boolean,
): WordPart[] => {
  const parts: WordPart[] = []
  const addText = (text: string, quoted: boolean): void => {
    const last = parts.at(-1)
    if (last?.kind === 'text' && last.quoted === quoted) last.text += text
    else parts.push({ kind: 'text', text, quoted })
  }
  while (!cursor.done) {
    const char = cursor.peek()
    if (cursor.startsWith('\\\n')) cursor.take(2)
    else if ((char === '<' || char === '>') && cursor.peek(1) === '(') {
      cursor.take(2)
      const script = cursor.nested(() => readers.inParentheses(cursor))
      parts.push({ kind: 'process', script, direction: char })
    } else if (/[?*+@!]/.test(char) && cursor.peek(1) === '(') {
      addText(readExtendedGlob(cursor), false)
    } else if (isEnd(char)) return parts
    else if (char === '\\') {
      cursor.take()
      addText(cursor.take(), true)
    } else if (char === "'") addText(readSingleQuoted(cursor), true)
    else if (char === '"') {
      cursor.take()
      addText('', true)
      parts.push(...readQuoted(cursor, readers, '"'))
    } else if (char === '`' || char === '$') {
      const part = readDollar(cursor, readers, false)
      if (part.kind === 'text') addText(part.text, part.quoted)
      else parts.push(part)
    } else addText(cursor.take(), false)
  }
  return parts
}

/** A pattern such as `!(a|b)` may name anything: it is read as `*`. */
const readExtendedGlob = (cursor: Cursor): string => {
  cursor.take(2)
  for (let depth = 1; depth > 0; ) {
    if (cursor.done) throw cursor.error('( is not closed')
    const char = cursor.take()
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
  }
  return '*'
}

const readSingleQuoted = (cursor: Cursor): string => {
  cursor.take()
  const end = cursor.text.indexOf("'", cursor.position)
  if (end === -1) throw cursor.error("' is not closed")
  const text = cursor.take(end - cursor.position)
  cursor.take()
  return text
}

/** Reads up to `close`, which is taken, or to the end of the text when it is empty. */
const readQuoted = (cursor: Cursor, readers: ScriptReaders, close: string): WordPart[] => {
  const parts: WordPart[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') parts.push({ kind: 'text', text, quoted: true })
    text = ''
  }
  for (;;) {
    if (cursor.done) {
      if (close !== '') throw cursor.error(`${close} is not closed`)
      flush()
      return parts
    }
    const char = cursor.peek()
    if (char === close) {
      cursor.take()
      flush()
      return parts
    }
    if (char === '\\' && /[$`"\\\n]/.test(cursor.peek(1))) {
      cursor.take()
      const escaped = cursor.take()
      text += escaped === '\n' ? '' : escaped
    } else if (char === '$' || char === '`') {
      const part = readDollar(cursor, readers, true)
      if (part.kind === 'text') text += part.text
      else {
        flush()
        parts.push(part)
      }
    } else text += cursor.take()
  }
}

const readDollar = (cursor: Cursor, readers: ScriptReaders, quoted: boolean): WordPart => {
  if (cursor.peek() === '`') return readBackticks(cursor, readers, quoted)
  cursor.take()
  if (cursor.startsWith('((')) {
    const arithmetic = tryArithmetic(cursor, readers)
    if (arithmetic !== undefined) return arithmetic
  }
  if (cursor.peek() === '(') {
    cursor.take()
    const script = cursor.nested(() => readers.inParentheses(cursor))
    return { kind: 'command', script, quoted }
  }
  if (cursor.peek() === '{') return readBraced(cursor, readers, quoted)
  if (cursor.peek() === "'" && !quoted) {
    return { kind: 'text', text: readAnsiC(cursor), quoted: true }
  }
  if (cursor.peek() === '"' && !quoted) return { kind: 'text', text: '', quoted: true }
  const name = cursor.match(NAME) ?? cursor.match(SPECIAL)
  if (name === undefined) return { kind: 'text', text: '$', quoted: true }
  return { kind: 'parameter', name, operator: '', indirect: false, quoted }
}

const readAnsiC = (cursor: Cursor): string => {
  const start = cursor.position + 1
  let end = start
  while (end < cursor.text.length && cursor.text[end] !== "'") {
    end += cursor.text[end] === '\\' ? 2 : 1
  }
  if (end >= cursor.text.length) throw cursor.error("$' is not closed")
  cursor.position = end + 1
  return decodeAnsiC(cursor.text.slice(start, end))
}

const readBackticks = (cursor: Cursor, readers: ScriptReaders, quoted: boolean): WordPart => {
  cursor.take()
  let text = ''
  while (cursor.peek() !== '`') {
    if (cursor.done) throw cursor.error('` is not closed')
    const char = cursor.take()
    if (char === '\\' && /[`$\\]/.test(cursor.peek())) text += cursor.take()
    else text += char
  }
  cursor.take()
  const script = cursor.nested(() => readers.ofText(text, cursor.depth))
  return { kind: 'command', script, quoted }
}

/** `((…))` that stands here, unless it is a subshell inside another; what it expands is kept. */
export const tryArithmetic = (cursor: Cursor, readers: ScriptReaders): WordPart | undefined => {
  let depth = 0
  let innerClosed = -1
  for (let at = cursor.position; at < cursor.text.length; at += 1) {
    const char = cursor.text[at]
    if (char === '(') depth += 1
    if (char !== ')') continue
    depth -= 1
    if (depth === 1) innerClosed = at
    if (depth > 0) continue
    if (innerClosed !== at - 1) return undefined
    const inner = cursor.text.slice(cursor.position + 2, at - 1)
    cursor.position = at + 1
    const parts = cursor.nested(() => parseExpansions(new Cursor(inner, cursor.depth), readers))
    return { kind: 'arithmetic', parts }
  }
  return undefined
}

const readBraced = (cursor: Cursor, readers: ScriptReaders, quoted: boolean): WordPart => {
  cursor.take()
  let indirect = false
  let isLength = false
  if (cursor.peek() === '!' && cursor.peek(1) !== '}') {
    cursor.take()
    indirect = true
  } else if (cursor.peek() === '#' && cursor.peek(1) !== '}') {
    cursor.take()
    isLength = true
  }
  const name = cursor.match(NAME) ?? cursor.match(/[0-9]+/y) ?? cursor.match(SPECIAL)
  if (name === undefined) throw cursor.error('${ has no name')
  let subscript: WordPart[] = []
  if (cursor.peek() === '[') {
    cursor.take()
    subscript = cursor.nested(() => readParts(cursor, readers, (char) => char === ']'))
    cursor.take()
  }
  const operator = isLength ? 'length' : (cursor.match(OPERATOR) ?? '')
  const start = cursor.position
  const parts = cursor.nested(() => readParts(cursor, readers, (char) => char === '}'))
  if (cursor.take() !== '}') throw cursor.error('${ is not closed')
  return {
    kind: 'parameter',
    name,
    operator,
    argument: { parts, start, end: cursor.position - 1 },
    ...(subscript.length === 0 ? {} : { subscript }),
    indirect,
    quoted,
  }
}
