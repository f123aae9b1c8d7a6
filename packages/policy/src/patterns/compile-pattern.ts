import { firstLetters, mayBegin } from './first-letters.ts'
import { KNOWN_PATTERNS, type KnownPattern } from './known-patterns.ts'
import { createMatcher, type Range } from './linear-matcher.ts'
import { parseRegex, RegexError, type RegexNode } from './parse-regex.ts'
import { requiredTexts } from './required-texts.ts'

/** A pattern of the policy in compiled form. */
export interface CompiledPattern {
  source: string
  matches: (text: string, inert?: readonly Range[]) => boolean
}

const MAX_PATTERN_CHARS = 1000

/**
 * Compiles a case-insensitive regular expression that matches anywhere in the text; an invalid
 * expression is searched for literally. Compilation happens on first use. Matching takes linear
 * time for every pattern, so that no pattern can hang a guard.
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
      // An invalid expression is searched for literally, and its text includes the `^`.
      if (letters !== undefined && !text.includes('^') && !mayBegin(text, letters)) return false
      compiled ??= known === undefined ? compile(source) : compileKnown(source, known)
      return compiled(text, inert)
    },
  }
}

/**
 * The properties of a pattern that are known without matching; undefined if it is not a regular
 * expression.
 */
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

/** Parses the pattern only for a text that contains what the pattern requires. */
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
    // A pattern that JavaScript itself rejects is a mistake.
    new RegExp(source, 'i')
    return { tree, search }
  } catch (thrown) {
    if (thrown instanceof RegexError || thrown instanceof SyntaxError) {
      return { problem: thrown.message }
    }
    throw thrown
  }
}

/** The reason why a pattern is not a valid regular expression, if it is not. */
export const findProblem = (source: string): string | undefined => {
  const parsed = parse(source)
  return 'problem' in parsed ? parsed.problem : undefined
}

const includesOutside = (text: string, wanted: string, inert: readonly Range[]): boolean => {
  const lower = text.toLowerCase()
  const ranges = inert.toSorted((a, b) => a.start - b.start)
  let passed = 0
  let covered = 0
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    for (let range = ranges[passed]; range !== undefined && range.start <= at; ) {
      covered = Math.max(covered, range.end)
      passed += 1
      range = ranges[passed]
    }
    if (at + wanted.length > covered) return true
  }
  return false
}
