import { firstLetters, mayBegin } from './first-letters.ts'
import { KNOWN_PATTERNS, type KnownPattern } from './known-patterns.ts'
import { createMatcher, type Range } from './linear-matcher.ts'
import { parseRegex, RegexError, type RegexNode } from './parse-regex.ts'
import { requiredTexts } from './required-texts.ts'

/** A pattern of the policy, ready to be used. */
export interface CompiledPattern {
  source: string
  matches: (text: string, inert?: readonly Range[]) => boolean
}

const MAX_PATTERN_CHARS = 1000

/**
 * Compiles a pattern: a regular expression without regard to case, matched anywhere; one that is none is
 * looked for as it stands. It is made ready when it is first tried. Matching takes linear time whatever
 * the pattern, so none can hang a guard.
 */
export const compilePattern = (
  source: string,
  known = KNOWN_PATTERNS.get(source),
): CompiledPattern => {
  const letters = known === undefined ? lettersOf(source) : known.letters
  let compiled: CompiledPattern['matches'] | undefined
  return {
    source,
    matches: (text, inert) => {
      // A pattern that is none is looked for as it stands, and begins with a `^`.
      if (letters !== undefined && !text.includes('^') && !mayBegin(text, letters)) return false
      compiled ??= known === undefined ? compile(source) : compileKnown(source, known)
      return compiled(text, inert)
    },
  }
}

/** What can be told about a pattern before it is tried; nothing when it is no regular expression. */
export const describePattern = (source: string): KnownPattern | undefined => {
  const parsed = parse(source)
  if ('problem' in parsed) return undefined
  const letters = lettersOf(source)
  const required = requiredTexts(parsed.tree)
  return {
    ...(letters === undefined ? {} : { letters }),
    ...(required === undefined ? {} : { required }),
  }
}

const lettersOf = (source: string): string[] | undefined =>
  source.length > MAX_PATTERN_CHARS ? undefined : firstLetters(source)

const compile = (source: string): CompiledPattern['matches'] => {
  const parsed = parse(source)
  if (!('problem' in parsed)) return searchWhere(requiredTexts(parsed.tree), parsed.search)
  const wanted = source.toLowerCase()
  return (text, inert) => includesOutside(text, wanted, inert ?? [])
}

/** Parsed only for a text that has what the pattern requires. */
const compileKnown = (source: string, { required }: KnownPattern): CompiledPattern['matches'] => {
  let search: CompiledPattern['matches'] | undefined
  return searchWhere(required, (text, inert) => {
    search ??= createMatcher(parseRegex(source))
    return search(text, inert)
  })
}

const searchWhere = (
  required: readonly string[] | undefined,
  search: CompiledPattern['matches'],
): CompiledPattern['matches'] => {
  if (required === undefined) return search
  return (text, inert) => {
    const lower = text.toLowerCase()
    return required.some((each) => lower.includes(each)) && search(text, inert)
  }
}

type Parsed = { tree: RegexNode; search: CompiledPattern['matches'] } | { problem: string }

const parse = (source: string): Parsed => {
  if (source.length > MAX_PATTERN_CHARS) {
    return { problem: `is longer than ${MAX_PATTERN_CHARS} characters` }
  }
  try {
    const tree = parseRegex(source)
    const search = createMatcher(tree)
    // What the language itself refuses, a person did not mean.
    new RegExp(source, 'i')
    return { tree, search }
  } catch (thrown) {
    if (thrown instanceof RegexError || thrown instanceof SyntaxError) {
      return { problem: thrown.message }
    }
    throw thrown
  }
}

/** What is wrong with a pattern as a regular expression, if anything. */
export const findProblem = (source: string): string | undefined => {
  const parsed = parse(source)
  return 'problem' in parsed ? parsed.problem : undefined
}

const includesOutside = (text: string, wanted: string, inert: readonly Range[]): boolean => {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    if (!inert.some((range) => at >= range.start && end <= range.end)) return true
  }
  return false
}
