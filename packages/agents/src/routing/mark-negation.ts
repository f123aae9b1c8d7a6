import { isFiller } from './everyday-words.ts'
import type { Token } from './token.ts'

/**
 * Marks on each token the word that negates it: in `don't use custom agents, ask Ava` the negation
 * ends at the comma.
 */
export const markNegation = (tokens: Token[]): void => {
  for (const [index, token] of tokens.entries()) {
    const length = negatorAt(tokens, index)
    if (length === 0) continue
    const end = NOUN_NEGATORS.has(token.lower)
      ? endOfNoun(tokens, index + length)
      : endOfClause(tokens, index + length, length > 1)
    for (let at = index + length; at < end; at += 1) {
      const denied = tokens[at]
      if (denied !== undefined) denied.deniedBy ??= index
    }
  }
}

const VERB_NEGATORS = new Set([
  'not',
  'never',
  'cannot',
  'avoid',
  'skip',
  'stop',
  'forget',
  'refuse',
  'nor',
  'neither',
  'drop',
])
const NOUN_NEGATORS = new Set(['no', 'without', 'except', 'zero', 'minus'])
const CONTRACTED = /^(do|does|did|is|are|was|were|ca|wo|would|should|could|must|need|have|has)n't$/
const PAIRS = [
  ['instead', 'of'],
  ['rather', 'than'],
  ['other', 'than'],
  ['less', 'of'],
  ['sick', 'of'],
  ['tired', 'of'],
] as const
/** The following words cancel the negation: `don't forget to …`, `not only …`. */
const UNDONE_AFTER = new Set([
  'forget',
  'hesitate',
  'only',
  'fail',
  'mind',
  'worry',
  'stop',
  'skip',
  'miss',
  'wait',
])
/** `nothing but …`, `anything except …` ask for what follows. */
const UNDONE_BEFORE = new Set(['nothing', 'anything', 'none', 'nobody', 'anyone'])

/** The number of tokens from here that form a negation; 0 if they do not. */
const negatorAt = (tokens: readonly Token[], index: number): number => {
  const word = tokens[index]?.lower ?? ''
  const next = tokens[index + 1]?.lower ?? ''
  const before = tokens[index - 1]?.lower ?? ''
  if (PAIRS.some(([first, second]) => word === first && next === second)) {
    return UNDONE_BEFORE.has(before) ? 0 : 2
  }
  const isNegator =
    VERB_NEGATORS.has(word) || NOUN_NEGATORS.has(word) || CONTRACTED.test(word) || word === 'dont'
  if (!isNegator || before === 'why' || UNDONE_BEFORE.has(before)) return 0
  if (UNDONE_AFTER.has(next)) return 0
  // The second half of `don't forget` is not a negation of its own.
  if (
    UNDONE_AFTER.has(word) &&
    (before === 'not' || before === 'never' || CONTRACTED.test(before))
  ) {
    return 0
  }
  return 1
}

const TURNS = new Set([
  'but',
  'just',
  'instead',
  'only',
  'rather',
  'however',
  'until',
  'unless',
  'because',
  'since',
])
const FRESH_VERBS = new Set([
  'use',
  'do',
  'run',
  'just',
  'let',
  'have',
  'ask',
  'get',
  'make',
  'implement',
  'write',
  'research',
  'go',
  'take',
  'launch',
  'start',
  'keep',
  'work',
  'then',
  'please',
  'instead',
  'build',
  'fix',
])

/** A comparison (`instead of …`) ends where a new request starts. */
const endOfClause = (tokens: readonly Token[], from: number, isComparison: boolean): number => {
  const clause = tokens[from - 1]?.clause
  let at = from
  while (at < tokens.length) {
    const token = tokens[at]
    if (token === undefined || token.clause !== clause) break
    if (at > from && TURNS.has(token.lower)) break
    if (isComparison && at > from && FRESH_VERBS.has(token.lower)) break
    if (token.lower === 'and' && FRESH_VERBS.has(tokens[at + 1]?.lower ?? '')) break
    at += 1
  }
  return at
}

const NOUN_ENDS = new Set([
  'me',
  'us',
  'it',
  'him',
  'her',
  'them',
  'you',
  'for',
  'in',
  'on',
  'to',
  'at',
  'by',
  'from',
  'and',
  'but',
  'with',
  'while',
  'when',
  'if',
  'so',
  'please',
  'just',
  'is',
  'are',
  'i',
  'we',
])
const NOUN_WORDS = 3

const endOfNoun = (tokens: readonly Token[], from: number): number => {
  const clause = tokens[from - 1]?.clause
  let at = from
  let words = 0
  while (at < tokens.length && words < NOUN_WORDS) {
    const token = tokens[at]
    if (token === undefined || token.clause !== clause || NOUN_ENDS.has(token.lower)) break
    if (!isFiller(token.lower)) words += 1
    at += 1
  }
  return at
}
