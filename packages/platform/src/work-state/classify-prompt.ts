import type { SessionMode } from '@steward/contract'
import { findTrivia, type TriviaReason } from './find-trivia.ts'
import { withoutSystemText } from './system-text.ts'

export type PromptClass = { mode: SessionMode } | { trivia: TriviaReason }

/** Spec 2, Classification: exactly these. */
export const STARTING_VERBS = [
  'implement',
  'build',
  'create',
  'architect',
  'design',
  'migrate',
  'deploy',
  'refactor',
] as const

/** The lane of a prompt, or why it has none. */
export const classifyPrompt = (prompt: string): PromptClass => {
  const trivia = findTrivia(prompt)
  if (trivia !== undefined) return { trivia }
  return { mode: VERB.test(withoutSystemText(prompt)) ? 'starting' : 'native' }
}

/** Letter by letter, because the `i` flag with `u` also matches special letters for `s` and `k`. */
const inAnyCase = (word: string): string =>
  [...word].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')

/** A whole word in any script: `rebuild`, `builds` and `buildé` do not match. */
const VERB = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}_])(?:${STARTING_VERBS.map(inAnyCase).join('|')})(?![\\p{L}\\p{M}\\p{N}_])`,
  'u',
)
