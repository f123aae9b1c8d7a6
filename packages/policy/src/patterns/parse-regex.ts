/** The syntax tree of a regular expression. Every node can be matched in linear time. */
export type RegexNode =
  | { kind: 'empty' }
  | { kind: 'char'; test: (char: string) => boolean; char?: string }
  | { kind: 'sequence'; items: RegexNode[] }
  | { kind: 'choice'; items: RegexNode[] }
  | { kind: 'repeat'; item: RegexNode; min: number; max: number }
  | { kind: 'assert'; what: '^' | '$' | 'b' | 'B' }
  | { kind: 'ahead'; item: RegexNode; negative: boolean }

/** The reason why a pattern is rejected. */
export class RegexError extends Error {
  override readonly name = 'RegexError'
}

const MAX_REPEAT = 200
/** Testing the members of a longer set for each character would multiply the work. */
const LONG_SET = 8
const SPACE = /\s/
const WORD = /[A-Za-z0-9_]/
const DIGIT = /[0-9]/

/**
 * Parses JavaScript syntax, ignoring case, except for what needs backtracking: back references and
 * lookbehind.
 */
export const parseRegex = (source: string): RegexNode => {
  let at = 0
  const peek = () => source[at] ?? ''
  const choice = (): RegexNode => {
    const items = [sequence()]
    while (peek() === '|') {
      at += 1
      items.push(sequence())
    }
    return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'choice', items }
  }
  const sequence = (): RegexNode => {
    const items: RegexNode[] = []
    while (at < source.length && peek() !== '|' && peek() !== ')') items.push(quantified())
    return { kind: 'sequence', items }
  }
  const quantified = (): RegexNode => {
    const item = atom()
    const match = /^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/.exec(source.slice(at))
    if (match === null) return item
    at += match[0].length
    const [text, low, comma, high] = match
    if (text.startsWith('*')) return { kind: 'repeat', item, min: 0, max: Number.POSITIVE_INFINITY }
    if (text.startsWith('+')) return { kind: 'repeat', item, min: 1, max: Number.POSITIVE_INFINITY }
    if (text.startsWith('?')) return { kind: 'repeat', item, min: 0, max: 1 }
    const min = Number(low)
    const max = comma === undefined ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high)
    if (min > MAX_REPEAT || (max !== Number.POSITIVE_INFINITY && max > MAX_REPEAT)) {
      throw new RegexError(`repeats more than ${MAX_REPEAT} times`)
    }
    return { kind: 'repeat', item, min, max }
  }
  const group = (): RegexNode => {
    const head = /^(?:\?:|\?=|\?!|\?<=|\?<!|\?<\w+>)/.exec(source.slice(at))?.[0] ?? ''
    at += head.length
    if (head === '?<=' || head === '?<!')
      throw new RegexError('looks behind, which needs backtracking')
    const item = choice()
    if (peek() !== ')') throw new RegexError('has a ( that is not closed')
    at += 1
    if (head === '?=' || head === '?!') return { kind: 'ahead', item, negative: head === '?!' }
    return item
  }
  const atom = (): RegexNode => {
    const char = peek()
    at += 1
    if (char === '(') return group()
    if (char === '[') return set()
    if (char === '.') return { kind: 'char', test: (each) => each !== '\n' && each !== '\r' }
    if (char === '^' || char === '$') return { kind: 'assert', what: char }
    if (char === '*' || char === '+' || char === '?')
      throw new RegexError(`has nothing to repeat before ${char}`)
    if (char !== '\\') return one(char)
    const escaped = peek()
    at += 1
    if (escaped === 'b' || escaped === 'B') return { kind: 'assert', what: escaped }
    if (/[1-9k]/.test(escaped)) throw new RegexError('refers back, which needs backtracking')
    if (escaped === '') throw new RegexError('ends with \\')
    return { kind: 'char', test: classOf(escaped) }
  }
  const classOf = (escaped: string): ((char: string) => boolean) => {
    switch (escaped) {
      case 's':
        return (char) => SPACE.test(char)
      case 'S':
        return (char) => !SPACE.test(char)
      case 'w':
        return (char) => WORD.test(char)
      case 'W':
        return (char) => !WORD.test(char)
      case 'd':
        return (char) => DIGIT.test(char)
      case 'D':
        return (char) => !DIGIT.test(char)
      default:
        return same(literalOf(escaped))
    }
  }
  const literalOf = (escaped: string): string => {
    const controls: Record<string, string> = {
      n: '\n',
      t: '\t',
      r: '\r',
      f: '\f',
      v: '\v',
      '0': '\0',
    }
    const hex = escaped === 'x' ? 2 : escaped === 'u' ? 4 : 0
    if (hex === 0) return controls[escaped] ?? escaped
    const digits = source.slice(at, at + hex)
    if (!new RegExp(`^[0-9a-fA-F]{${hex}}$`).test(digits)) return escaped
    at += hex
    return String.fromCharCode(Number.parseInt(digits, 16))
  }
  const set = (): RegexNode => {
    const negative = peek() === '^'
    if (negative) at += 1
    const tests: ((char: string) => boolean)[] = []
    while (peek() !== ']') {
      if (at >= source.length) throw new RegexError('has a [ that is not closed')
      const low = setChar()
      if (
        typeof low === 'string' &&
        peek() === '-' &&
        source[at + 1] !== ']' &&
        at + 1 < source.length
      ) {
        at += 1
        const high = setChar()
        if (typeof high === 'string') tests.push(range(low, high))
        else tests.push(same(low), same('-'), high)
      } else tests.push(typeof low === 'string' ? same(low) : low)
    }
    at += 1
    const test = (char: string) => tests.some((each) => each(char)) !== negative
    return { kind: 'char', test: tests.length > LONG_SET ? remember(test) : test }
  }
  const setChar = (): string | ((char: string) => boolean) => {
    const char = peek()
    at += 1
    if (char !== '\\') return char
    const escaped = peek()
    at += 1
    if (escaped === 'b') return '\b'
    return /[sSwWdD]/.test(escaped) ? classOf(escaped) : literalOf(escaped)
  }
  const tree = choice()
  if (at < source.length) throw new RegexError('has a ) that is not opened')
  return tree
}

const one = (char: string): RegexNode => ({ kind: 'char', test: same(char), char })

const same = (wanted: string): ((char: string) => boolean) => {
  const lower = wanted.toLowerCase()
  return (char) => char === wanted || char.toLowerCase() === lower
}

const range = (low: string, high: string): ((char: string) => boolean) => {
  const holds = (char: string) => char >= low && char <= high
  return (char) => holds(char) || holds(char.toLowerCase()) || holds(char.toUpperCase())
}

const remember = (test: (char: string) => boolean): ((char: string) => boolean) => {
  const known = new Uint8Array(0x1_00_00)
  return (char) => {
    const code = char.charCodeAt(0)
    known[code] ||= test(char) ? 2 : 1
    return known[code] === 2
  }
}
