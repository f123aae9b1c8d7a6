import { expandBraces } from './expand-braces.ts'
import { knownVariable } from './known-variables.ts'
import { isPlain, MARK } from './marks.ts'
import type { ShellState } from './shell-state.ts'
import type { Script, Word, WordPart } from './syntax.ts'

/** What an expansion needs of the shell around it. */
export interface Expansion {
  state: ShellState
  home: string
  environment: Readonly<Record<string, string | undefined>>
  /** Runs the script of a substitution and answers with what it prints. */
  capture: (script: Script) => string
  /** Runs what stands in a name that the shell computes. */
  evaluate: (text: string) => void
  /** Runs the script of a process substitution beside the command. */
  attach: (script: Script, direction: '<' | '>') => void
}

const MAX_ALTERNATIVES = 16

/** The arguments that a word becomes; where several are possible, all of them. */
export const expandWord = (word: Word, expansion: Expansion): string[] =>
  expandBraces(word.parts).flatMap((parts) => {
    const isQuoted = parts.some((part) => part.kind === 'text' && part.quoted)
    return expandParts(parts, expansion, true).flatMap((text) => splitFields(text, isQuoted))
  })

/** A word where nothing is split: a value that is assigned, a here-document, a pattern. */
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
      // Evaluated for what it runs; a number comes out.
      for (const text of expandParts(part.parts, expansion, false)) evaluateNames(text, expansion)
      return [MARK.segment]
    case 'process':
      expansion.attach(part.script, part.direction)
      return [`/dev/fd/${MARK.segment}`]
  }
}

/** Whether text that is taken as a name or a number holds a command. */
export const computes = (text: string): boolean => {
  const at = text.indexOf('[')
  return at !== -1 && (text.includes('$(', at) || text.includes('`', at))
}

/** A variable in arithmetic is itself read as arithmetic. */
export const evaluateNames = (text: string, { state, evaluate }: Expansion): void => {
  const names = text.match(/[A-Za-z_]\w*/g) ?? []
  const values = names.flatMap((name) => state.variables.get(name) ?? [])
  for (const value of new Set([text, ...values])) if (computes(value)) evaluate(value)
}

/** A script may say itself where values are split. */
const splitOwn = (text: string, isQuoted: boolean, { state }: Expansion): string => {
  const [own] = state.variables.get('IFS') ?? []
  if (isQuoted || own === undefined || !isPlain(own)) return text
  return [...text].map((char) => (own.includes(char) ? ' ' : char)).join('')
}

const trimEnd = (text: string): string => text.replace(/\n+$/, '')

const unquote = (text: string, quoted: boolean, splits: boolean): string =>
  quoted || !splits ? text : toGlobs(text, splits).replace(/[ \t\n]+/g, MARK.split)

/** File patterns of unquoted text become marks. Assigned values keep them: they take effect where they are used. */
const toGlobs = (text: string, isField: boolean): string =>
  isField
    ? text
        .replace(/\*\*+/g, MARK.deep)
        .replaceAll('*', MARK.star)
        .replace(/\?|\[[^\]/\s]+\]/g, MARK.one)
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
    // Set or not: where the value is unknown, the default is as likely.
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
  const value = environment[name] ?? knownVariable(name, home)
  return [value ?? MARK.unknown]
}

/** `%`, `#`, `/`, `^`, `:` on a value: exact for plain texts and patterns, unknown for the rest. */
const cut = (value: string, operator: string, pattern: string): string => {
  if (operator === '^' || operator === '^^') return isPlain(value) ? value.toUpperCase() : value
  if (operator === ',' || operator === ',,') return isPlain(value) ? value.toLowerCase() : value
  if (isPlain(pattern) && !/[*?[]/.test(pattern)) {
    // A fixed beginning or end can be taken off whatever else is unknown.
    if (operator.startsWith('%') && value.endsWith(pattern)) {
      return value.slice(0, value.length - pattern.length)
    }
    if (operator.startsWith('#') && value.startsWith(pattern)) return value.slice(pattern.length)
  }
  if (!isPlain(value) || !isPlain(pattern)) return MARK.unknown
  if (operator === ':') return substring(value, pattern)
  const glob = (text: string) =>
    text
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
  if (pattern.length > 200 || (pattern.match(/\*/g)?.length ?? 0) > 2) return MARK.unknown
  if (operator.startsWith('#')) {
    const matcher = glob(pattern).replaceAll('.*', operator === '##' ? '.*' : '.*?')
    return value.replace(new RegExp(`^${matcher}`, 's'), '')
  }
  if (operator.startsWith('%'))
    return cutEnd(value, new RegExp(`^${glob(pattern)}$`, 's'), operator === '%%')
  if (!operator.startsWith('/')) return MARK.unknown
  const [from = '', to = ''] = pattern.split('/')
  return value.replace(new RegExp(glob(from), operator === '//' ? 'gs' : 's'), () => to)
}

const cutEnd = (value: string, matcher: RegExp, longest: boolean): string => {
  const lengths = Array.from({ length: Math.min(value.length, 500) + 1 }, (_, n) => n)
  const found = (longest ? lengths.reverse() : lengths).find((length) =>
    matcher.test(value.slice(value.length - length)),
  )
  return found === undefined ? value : value.slice(0, value.length - found)
}

const substring = (value: string, range: string): string => {
  const match = /^\s*(-?\d+)(?::(-?\d+))?$/.exec(range)
  if (match === null) return MARK.unknown
  const start = Number(match[1])
  const length = match[2] === undefined ? undefined : Number(match[2])
  const rest = value.slice(start)
  return length === undefined ? rest : length < 0 ? rest.slice(0, length) : rest.slice(0, length)
}
