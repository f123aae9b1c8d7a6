import { findWildcardEnds, parseWildcards } from '@steward/contract'
import { expandBraces } from './expand-braces.ts'
import { knownVariable } from './known-variables.ts'
import { isPlain, MARK, markClasses } from './marks.ts'
import type { ShellState } from './shell-state.ts'
import type { Script, Word, WordPart } from './syntax.ts'

/** The shell functions that an expansion needs. */
export interface Expansion {
  state: ShellState
  home: string
  environment: Readonly<Record<string, string | undefined>>
  /** Runs the script of a substitution and returns its output. */
  capture: (script: Script) => string
  /** Runs the commands in a name that the shell evaluates. */
  evaluate: (text: string) => void
  /** Runs the script of a process substitution beside the command. */
  attach: (script: Script, direction: '<' | '>') => void
}

const MAX_ALTERNATIVES = 16
/** Characters of a pattern times characters of the value that it is applied to. */
const MAX_CUT_WORK = 200_000

/** Expands a word into its arguments; if several results are possible, returns all of them. */
export const expandWord = (word: Word, expansion: Expansion): string[] =>
  expandBraces(word.parts).flatMap((parts) => {
    const isQuoted = parts.some((part) => part.kind === 'text' && part.quoted)
    return expandParts(parts, expansion, true).flatMap((text) => splitFields(text, isQuoted))
  })

/** Expands a word without splitting: an assigned value, a here-document, a pattern. */
export const expandText = (word: Word, expansion: Expansion): string[] =>
  expandParts(word.parts, expansion, false).map((text) => text.replaceAll(MARK.split, ' '))

const splitFields = (text: string, isQuoted: boolean): string[] => {
  const fields = text.split(MARK.split).filter((field) => field !== '')
  return fields.length === 0 && isQuoted ? [''] : fields
}

const expandParts = (
  parts: readonly WordPart[],
  expansion: Expansion,
  splits: boolean,
): string[] => {
  let texts = ['']
  parts.forEach((part, index) => {
    const values =
      index === 0 && part.kind === 'text' && !part.quoted
        ? expandTilde(part.text, expansion).map((text) => toGlobs(text, splits))
        : expandPart(part, expansion, splits)
    const next = texts.flatMap((text) => values.map((value) => text + value))
    texts = next.length > MAX_ALTERNATIVES ? [MARK.unknown] : next
  })
  return texts
}

const expandTilde = (text: string, { home, state }: Expansion): string[] => {
  const match = /^~([A-Za-z0-9._+-]*)(?=\/|$)/.exec(text)
  if (match === null) return [text]
  const rest = text.slice(match[0].length)
  const who = match[1] ?? ''
  if (who === '') return [home + rest]
  if (who === '+') return state.directories.map((directory) => directory + rest)
  if (who === '-') return state.previous.map((directory) => directory + rest)
  return [who === 'root' ? `/root${rest}` : `/home/${who}${rest}`]
}

const expandPart = (part: WordPart, expansion: Expansion, splits: boolean): string[] => {
  switch (part.kind) {
    case 'text':
      return [part.quoted ? part.text : toGlobs(part.text, splits)]
    case 'parameter':
      return expandParameter(part, expansion).map((text) =>
        unquote(splitOwn(text, part.quoted, expansion), part.quoted, splits),
      )
    case 'command':
      return [unquote(trimEnd(expansion.capture(part.script)), part.quoted, splits)]
    case 'arithmetic':
      // Evaluated for the commands it runs; the result is a number.
      for (const text of expandParts(part.parts, expansion, false)) evaluateNames(text, expansion)
      return [MARK.segment]
    case 'process':
      expansion.attach(part.script, part.direction)
      return [`/dev/fd/${MARK.segment}`]
  }
}

/** Returns whether text that is used as a name or a number contains a command. */
export const computes = (text: string): boolean => {
  const at = text.indexOf('[')
  return at !== -1 && (text.includes('$(', at) || text.includes('`', at))
}

/** A variable in arithmetic is itself evaluated as arithmetic. */
export const evaluateNames = (text: string, { state, evaluate }: Expansion): void => {
  const names = text.match(/[A-Za-z_]\w*/g) ?? []
  const values = names.flatMap((name) => state.variables.get(name) ?? [])
  for (const value of new Set([text, ...values])) if (computes(value)) evaluate(value)
}

/** Splits by the script's own IFS, if it sets one. */
const splitOwn = (text: string, isQuoted: boolean, { state }: Expansion): string => {
  const [own] = state.variables.get('IFS') ?? []
  if (isQuoted || own === undefined || !isPlain(own)) return text
  return [...text].map((char) => (own.includes(char) ? ' ' : char)).join('')
}

const trimEnd = (text: string): string => text.replace(/(?<!\n)\n+$/, '')

const unquote = (text: string, quoted: boolean, splits: boolean): string =>
  quoted || !splits ? text : toGlobs(text, splits).replace(/[ \t\n]+/g, MARK.split)

/**
 * Replaces unquoted file patterns by marks. Assigned values keep them, because they take effect
 * only when used.
 */
const toGlobs = (text: string, isField: boolean): string =>
  isField
    ? markClasses(
        text.replace(/\*\*+/g, MARK.deep).replaceAll('*', MARK.star),
        /([^\]/\s]*)([\]/\s]|$)/g,
      )
    : text

type Parameter = Extract<WordPart, { kind: 'parameter' }>

const expandParameter = (part: Parameter, expansion: Expansion): string[] => {
  for (const text of expandParts(part.subscript ?? [], expansion, false))
    evaluateNames(text, expansion)
  const values = lookUp(part, expansion)
  const { operator, argument } = part
  if (operator === '' || argument === undefined) return values
  const given = expandText(argument, expansion)
  if (operator === 'length') return [MARK.segment]
  if (/^:?[-=]$/.test(operator)) {
    // If the value is unknown, the default is equally likely.
    const isUnset = values.every((value) => value === MARK.unknown)
    const isSure = !values.includes(MARK.unknown) && !values.includes('')
    const result = isUnset ? given : isSure ? values : [...values, ...given]
    if (operator.endsWith('=')) expansion.state.variables.set(part.name, result)
    return result
  }
  if (/^:?\+$/.test(operator)) return [...given, '']
  if (/^:?\?$/.test(operator)) return values
  return values.map((value) => cut(value, operator, given[0] ?? ''))
}

const lookUp = (part: Parameter, { state, environment, home }: Expansion): string[] => {
  if (part.indirect) return [MARK.unknown]
  const { name } = part
  if (name === 'PWD') return state.directories
  if (name === 'OLDPWD') return state.previous
  if (name === '@' || name === '*') return [state.parameters?.join(MARK.split) ?? MARK.unknown]
  if (/^[1-9]\d*$/.test(name)) {
    return [
      state.parameters === undefined ? MARK.unknown : (state.parameters[Number(name) - 1] ?? ''),
    ]
  }
  const set = state.variables.get(name)
  if (set !== undefined) return set
  // A name like `valueOf` is not a variable.
  const own = Object.hasOwn(environment, name) ? environment[name] : undefined
  const value = own ?? knownVariable(name, home)
  return [value ?? MARK.unknown]
}

/**
 * Applies `%`, `#`, `/`, `^` or `:` to a value: exact for plain texts and patterns, unknown for the
 * rest.
 */
const cut = (value: string, operator: string, pattern: string): string => {
  if (operator === '^' || operator === '^^') return isPlain(value) ? value.toUpperCase() : value
  if (operator === ',' || operator === ',,') return isPlain(value) ? value.toLowerCase() : value
  if (isPlain(pattern) && !/[*?[]/.test(pattern)) {
    // A fixed prefix or suffix can be removed even if the rest is unknown.
    if (operator.startsWith('%') && value.endsWith(pattern)) {
      return value.slice(0, value.length - pattern.length)
    }
    if (operator.startsWith('#') && value.startsWith(pattern)) return value.slice(pattern.length)
  }
  if (!isPlain(value) || !isPlain(pattern)) return MARK.unknown
  if (operator === ':') return substring(value, pattern)
  if (pattern.length > 200 || pattern.length * value.length > MAX_CUT_WORK) return MARK.unknown
  if (operator.startsWith('#')) return cutStart(value, pattern, operator === '##')
  if (operator.startsWith('%')) return cutEnd(value, pattern, operator === '%%')
  if (!operator.startsWith('/')) return MARK.unknown
  const [from = '', to = ''] = pattern.split('/')
  return substitute(value, from, to, operator === '//')
}

const cutStart = (value: string, pattern: string, longest: boolean): string => {
  const ends = findWildcardEnds(parseWildcards(pattern), value)
  const end = longest ? ends.lastIndexOf(0) : ends.indexOf(0)
  return value.slice(Math.max(end, 0))
}

const cutEnd = (value: string, pattern: string, longest: boolean): string => {
  const keeps = longest ? 'earliest' : 'latest'
  const ends = findWildcardEnds(parseWildcards(pattern), value, { starts: 'anywhere', keeps })
  const start = ends[value.length] ?? -1
  return start === -1 ? value : value.slice(0, start)
}

/** Replaces the first match, or all of them; a match is the longest one at the earliest place. */
const substitute = (value: string, from: string, to: string, all: boolean): string => {
  if (!from.includes('*')) {
    const chars = from.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('?', '.')
    return value.replace(new RegExp(chars, all ? 'gs' : 's'), () => to)
  }
  // A second match cannot exist: the longest one ends where the last part of the pattern last occurs.
  const ends = findWildcardEnds(parseWildcards(from), value, { starts: 'anywhere' })
  const start = ends.reduce(
    (least, each) => (each === -1 ? least : Math.min(least, each)),
    Infinity,
  )
  if (start === Infinity) return value
  return value.slice(0, start) + to + value.slice(ends.lastIndexOf(start))
}

const substring = (value: string, range: string): string => {
  const match = /^\s*(-?\d+)(?::(-?\d+))?$/.exec(range)
  if (match === null) return MARK.unknown
  const start = Number(match[1])
  const length = match[2] === undefined ? undefined : Number(match[2])
  const rest = value.slice(start)
  return length === undefined ? rest : length < 0 ? rest.slice(0, length) : rest.slice(0, length)
}
