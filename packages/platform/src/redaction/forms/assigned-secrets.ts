import { hideHeader, isHeaderName } from './header-secrets.ts'
import { kindOfName, type NameKind, SECRET_PARTS } from './secret-names.ts'
import { charSet, MASK_START, type SecretScan } from './secret-scan.ts'
import { isSecretValue } from './secret-value.ts'

const SEPARATOR = charSet(/[=:>]/)
const OPERATOR = charSet(/[=:!|?+]/)
const SPACE = charSet(/[ \t]/)
const CLOSER = charSet(/["'`\\\]]/)
const NAME = charSet(/[\w.-]/)
const QUOTE = charSet(/["'`]/)
const BACKSLASH = charSet(/\\/)
const LINE_END = charSet(/[\r\n]/)
const VALUE_END = charSet(/[\s"'`&;|<>\\]/)
const MEMBER_END = charSet(/[\s"'`&;|<>\\,{}]/)
const TAG_END = charSet(/[<\r\n]/)

const LONGEST_NAME = 80
/** So much of a value is judged; only what is masked is followed to its end. */
const JUDGED_CHARS = 400

/** `NAME=value`, `name: value`, `"name": "value"`, `<name>value</name>`, wherever the name tells. */
export const hideAssignedSecrets = (scan: SecretScan): void => {
  const { text } = scan
  if (!scan.holds(SECRET_PARTS)) return
  for (let at = scan.find(0, SEPARATOR); at < text.length; at = scan.find(at, SEPARATOR)) {
    at = Math.max(at + 1, hideValueAt(scan, at))
  }
}

/** Gives back where to go on. */
const hideValueAt = (scan: SecretScan, at: number): number => {
  const { text } = scan
  const nameEnd = endOfName(scan, at)
  const nameStart = scan.runStart(nameEnd, NAME, LONGEST_NAME)
  const name = text.slice(nameStart, nameEnd)
  const kind = kindOfName(name)
  if (kind === undefined) return text[at] === '=' ? hideDeclared(scan, at, nameEnd) : at
  if (text[at] === '>') return text[nameStart - 1] === '<' ? hideTag(scan, at + 1, name, kind) : at
  const isArrow = text[at] === '=' && text[at + 1] === '>'
  const next = at + (isArrow ? 2 : 1)
  const from = skipToValue(scan, next)
  if (text[from] === '=' || text[from] === ':') return at
  if (text[at] === ':' && text[nameStart - 1] === ':' && isInUrn(scan, nameStart)) return at
  // One of two choices: `ok ? "PASS" : "FAIL"`.
  if (text[at] === ':' && /\? {0,2}["'`]?$/.test(text.slice(Math.max(0, nameStart - 4), nameStart)))
    return at
  // The quote that is opened before the name is closed after the separator: `"Password: "`.
  if (at === nameEnd && text[from] === text[nameStart - 1] && isQuote(text, from)) return at
  if (isHeaderName(name)) {
    const end = hideHeader(scan, name, from)
    if (end > from) return end
  }
  const isSpaced = from > next || text[nameEnd] === ' '
  const separator = text[at] === ':' || isArrow ? ':' : '='
  return hideValue(scan, from, { kind, name, separator, isSpaced })
}

const LONGEST_URN = 200

/** `arn:aws:secretsmanager:…:secret:name` tells where a secret is kept. */
const isInUrn = (scan: SecretScan, nameStart: number): boolean => {
  const before = scan.text.slice(Math.max(0, nameStart - LONGEST_URN), nameStart)
  scan.look(before.length)
  const at = before.indexOf('rn:')
  return at > 0 && /^(?:.*[^\w-])?[au]rn:[\w:./-]*$/.test(before.slice(Math.max(0, at - 2)))
}

const endOfName = (scan: SecretScan, at: number): number => {
  const operator = scan.runStart(at, OPERATOR, 2)
  const spaced = scan.runStart(operator, SPACE, 8)
  return scan.runStart(spaced, CLOSER, 5)
}

/** `name: type = "value"` and `Type name { get; set; } = "value"`. */
const hideDeclared = (scan: SecretScan, at: number, typeEnd: number): number => {
  if (scan.text[at - 1] === '=' || scan.text[at - 1] === '!') return at
  const from = skipToValue(scan, at + 1)
  if (!isQuote(scan.text, scan.runEnd(from, BACKSLASH, 5))) return at
  const typeStart = scan.find(Math.max(0, typeEnd - LONGEST_TYPE), TYPE_START, LONGEST_TYPE + 1)
  if (typeStart > typeEnd) return at
  const before = scan.text.slice(Math.max(0, typeEnd - LONGEST_DECLARATION), typeEnd + 1)
  scan.look(before.length)
  const name = DECLARED.exec(before)?.[1]
  const kind = name === undefined ? undefined : kindOfName(name)
  if (name === undefined || kind === undefined) return at
  return hideValue(scan, from, { kind, name, separator: '=', isSpaced: true })
}

const DECLARED = /([\w.-]{1,80}) {0,2}(?::[ &\w<>[\].'|?]{1,40}|\{[^{}\n]{1,30}\} ?)$/
const LONGEST_DECLARATION = 130
const TYPE_START = charSet(/[:{]/)
const LONGEST_TYPE = 42

const isQuote = (text: string, at: number): boolean => QUOTE.has(text.charCodeAt(at))

/**
 * A block of YAML has its value on the next line; a template of Ruby has it in
 * brackets; a letter may say what kind of string it is.
 */
const skipToValue = (scan: SecretScan, from: number): number => {
  const start = scan.runEnd(from, SPACE, 40)
  if (!BLOCK_START.has(scan.text.charCodeAt(start))) return start
  const block = /^(?:[|>][+-]?(?:\r?\n|\\n)[ \t]{1,40}|<%=? {0,4}|[NbrfuL](?=["']))/.exec(
    scan.text.slice(start, start + 50),
  )
  return start + (block?.[0].length ?? 0)
}

const BLOCK_START = charSet(/[|><NbrfuL]/)

const hideTag = (scan: SecretScan, from: number, name: string, kind: NameKind): number => {
  const end = scan.find(from, TAG_END, JUDGED_CHARS)
  if (!/^<\\{0,3}\//.test(scan.text.slice(end, end + 5)) && end - from < JUDGED_CHARS) return from
  const place = { kind, name, isQuoted: true, separator: '=', isSpaced: false } as const
  if (!isSecretValue(scan.text.slice(from, end), place)) return from
  const whole = end - from < JUDGED_CHARS ? end : scan.find(end, TAG_END)
  scan.hide(from, whole)
  return whole
}

interface Assignment {
  kind: NameKind
  name: string
  separator: '=' | ':' | ' '
  isSpaced: boolean
}

/** Hides the value that begins at `from` when it is one. Gives back where to go on. */
export const hideValue = (scan: SecretScan, from: number, assignment: Assignment): number => {
  const { start, end, isQuoted, isOpen } = readValue(scan, from, assignment.separator === ':')
  const value = scan.text.slice(start, end)
  if (value.startsWith(MASK_START)) return start + MASK_START.length
  if (isOperand(scan, start, end, isQuoted)) return from
  if (!isSecretValue(value, { ...assignment, isQuoted })) return from
  const whole = isOpen ? endOfOpenValue(scan, end, isQuoted) : end
  scan.hide(start, whole)
  return whole
}

/** `"name" in options`, `token1 ?? token2`: what follows makes it a part of an expression. */
const isOperand = (scan: SecretScan, start: number, end: number, isQuoted: boolean): boolean => {
  const after = scan.text.slice(end, end + 12)
  scan.look(after.length)
  if (isQuoted) return /^["'`] (?:in|instanceof) \w/.test(after)
  return /^ \?\? \S/.test(after) && /^[A-Za-z_$][\w$]*$/.test(scan.text.slice(start, end))
}

interface FoundValue {
  start: number
  end: number
  isQuoted: boolean
  /** It goes on behind what is judged. */
  isOpen: boolean
}

export const readValue = (scan: SecretScan, from: number, isMember: boolean): FoundValue => {
  const { text } = scan
  const slashes = scan.runEnd(from, BACKSLASH, 5)
  const quote = text[slashes]
  if (quote !== undefined && QUOTE.has(quote.charCodeAt(0))) {
    const opener = text.slice(from, slashes + 1)
    const start = slashes + 1
    const end = endOfQuoted(scan, start, opener)
    return { start, end, isQuoted: true, isOpen: end - start >= JUDGED_CHARS }
  }
  const end = endOfBare(scan, from, isMember)
  const isOpen = end - from >= JUDGED_CHARS
  const value = text.slice(from, end)
  // A bracket that was opened outside of the value closes there too.
  const tail = isOpen ? '' : (/[)\]}.,:]{1,9}$/.exec(value)?.[0] ?? '')
  const isBalanced = /[([{]/.test(value)
  return { start: from, end: isBalanced ? end : end - tail.length, isQuoted: false, isOpen }
}

/** The closing quote is written as the opening one was; other quotes belong to the value. */
const endOfQuoted = (scan: SecretScan, start: number, opener: string): number => {
  const { text } = scan
  const last = Math.min(text.length, start + JUDGED_CHARS)
  const slashes = opener.length - 1
  const quote = opener.slice(-1)
  for (let at = start; at < last; at += 1) {
    scan.look(1)
    const char = text[at]
    if (char === '\\') {
      const run = scan.runEnd(at, BACKSLASH, 8)
      if (text[run] === quote && run - at <= slashes) return at
      at = run
    } else if (char === quote) {
      return at
    }
  }
  // A quote that nothing closes was cut off or is an apostrophe: the value is the rest of its line.
  return scan.find(start, LINE_END, last - start)
}

const endOfBare = (scan: SecretScan, from: number, isMember: boolean): number => {
  const { text } = scan
  const stop = isMember ? MEMBER_END : VALUE_END
  const last = Math.min(text.length, from + JUDGED_CHARS)
  for (let at = from; ; at += 1) {
    at = scan.find(at, stop, last - at)
    if (at >= last) return last
    const isEscape = text[at] === '\\' && !/^[nrt"'`\\\s]?$/.test(text[at + 1] ?? '')
    if (!isEscape) return commaBefore(text.slice(from, at)) + from
    at += 1
  }
}

/** A comma ends a value where another name follows it: `user=a,password=b,host=c`. */
const commaBefore = (value: string): number => {
  const at = value.search(/,(?:$|[\w.-]{1,40}[=:])/)
  return at === -1 ? value.length : at
}

const endOfOpenValue = (scan: SecretScan, from: number, isQuoted: boolean): number =>
  scan.find(from, isQuoted ? QUOTE_OR_LINE : VALUE_END)

const QUOTE_OR_LINE = charSet(/["'`\r\n]/)
