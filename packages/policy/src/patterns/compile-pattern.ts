import { firstLetters, mayBegin } from './first-letters.ts'
import { createMatcher, type Range } from './linear-matcher.ts'
import { parseRegex, RegexError } from './parse-regex.ts'
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
export const compilePattern = (source: string): CompiledPattern => {
  const letters = source.length > MAX_PATTERN_CHARS ? undefined : firstLetters(source)
  let compiled: CompiledPattern['matches'] | undefined
  return {
    source,
    matches: (text, inert) => {
      // A pattern that is none is looked for as it stands, and begins with a `^`.
      if (letters !== undefined && !text.includes('^') && !mayBegin(text, letters)) return false
      compiled ??= compile(source)
      return compiled(text, inert)
    },
  }
}

const compile = (source: string): CompiledPattern['matches'] => {
  if (findProblem(source) === undefined) {
    const tree = parseRegex(source)
    const search = createMatcher(tree)
    const required = requiredTexts(tree)
    if (required === undefined) return search
    return (text, inert) => {
      const lower = text.toLowerCase()
      return required.some((each) => lower.includes(each)) && search(text, inert)
    }
  }
  const wanted = source.toLowerCase()
  return (text, inert) => includesOutside(text, wanted, inert ?? [])
}

/** What is wrong with a pattern as a regular expression, if anything. */
export const findProblem = (source: string): string | undefined => {
  if (source.length > MAX_PATTERN_CHARS) return `is longer than ${MAX_PATTERN_CHARS} characters`
  try {
    createMatcher(parseRegex(source))
    // What the language itself refuses, a person did not mean.
    new RegExp(source, 'i')
    return undefined
  } catch (thrown) {
    if (thrown instanceof RegexError || thrown instanceof SyntaxError) return thrown.message
    throw thrown
  }
}

const includesOutside = (text: string, wanted: string, inert: readonly Range[]): boolean => {
  const lower = text.toLowerCase()
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    if (!inert.some((range) => at >= range.start && end <= range.end)) return true
  }
  return false
}
