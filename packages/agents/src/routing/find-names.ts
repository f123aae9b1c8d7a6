import { isEverydayName } from './everyday-words.ts'
import { matchPhrase } from './match-phrase.ts'
import { compilePhrase } from './phrase.ts'
import type { Reading } from './read-request.ts'
import type { Token } from './token.ts'

/** An agent that can be addressed by name. */
export interface Callable {
  names: readonly string[]
  /** Phrases that contain a name but mean something else. */
  notCalled?: readonly string[]
  /** The name is an ordinary word, so it needs a word that addresses it. */
  everyday?: boolean
}

/** Where an agent is first addressed by name rather than mentioned; -1 for a name in quotes. */
export const findName = (callable: Callable, reading: Reading): number | undefined => {
  const { tokens, quoted } = reading
  const others = (callable.notCalled ?? []).map((text) => compilePhrase(text, {}))
  if (others.some((phrase) => matchPhrase(phrase, tokens) !== undefined)) return undefined
  for (const name of callable.names) {
    const words = name.split(/[\s-]+/).filter(Boolean)
    const isEveryday = callable.everyday ?? isEverydayName(name)
    const at = tokens.findIndex((_, index) => isCalledAt(tokens, index, words, isEveryday))
    if (at >= 0) return at
    if (quoted.includes(name) && tokens.some(({ lower }) => CALLS.has(lower))) return -1
  }
  return undefined
}

const CALLS = new Set(
  `use using ask asking have having let letting get getting launch spawn invoke call delegate hand give
  assign summon start run task try want need via through by consult involve send bring put dispatch pass
  tell make trust prefer choose pick with type named subagent_type`.split(/\s+/),
)
/**
 * Of these, `with` and `by` also introduce people, so they do not address an agent whose name is an
 * ordinary word.
 */
const WEAK_CALLS = new Set([
  'with',
  'by',
  'make',
  'want',
  'need',
  'give',
  'send',
  'get',
  'run',
  'start',
  'put',
])
const KINDS = new Set(['agent', 'agents', 'subagent', 'type', 'subagents', 'persona'])
const AFTER = new Set(
  'should can could would will must please needs to handle do write implement take look research check review say think go make'.split(
    ' ',
  ),
)
/** Before a name these make it a mention. */
const MENTIONS = new Set(['from', 'about', 'of', 'called', 'regarding', 'versus', 'vs', 'and'])
const MAIL = new Set(
  'email mail message write reply invite thank phone meet meeting invoice letter lunch card gift texted sms birthday'.split(
    ' ',
  ),
)
const NEAR = 4

const isCalledAt = (
  tokens: readonly Token[],
  index: number,
  words: readonly string[],
  isEveryday: boolean,
): boolean => {
  const found = tokens.slice(index, index + words.length)
  const [first] = found
  if (first === undefined || found.length < words.length) return false
  if (found.some(({ isOther }) => isOther)) return false
  if (!words.every((word, at) => found[at]?.lower === word.toLowerCase())) return false
  const after = tokens[index + words.length]
  if (first.deniedBy !== undefined) return false
  if (first.isAddressed) return true
  if (after !== undefined && KINDS.has(after.lower) && after.sentence === first.sentence)
    return true
  const isExact = words.every((word, at) => found[at]?.text === word)
  const before = tokens
    .slice(Math.max(0, index - NEAR), index)
    .filter(({ sentence }) => sentence === first.sentence)
  const isMentioned =
    MENTIONS.has(before.at(-1)?.lower ?? '') || before.some(({ lower }) => MAIL.has(lower))
  if (isMentioned) return false
  const calls = before.filter(({ lower }) => CALLS.has(lower))
  if (isEveryday) {
    const isStrong = calls.some(({ lower }) => !WEAK_CALLS.has(lower))
    const near = before.slice(-2).some(({ lower }) => CALLS.has(lower) && !WEAK_CALLS.has(lower))
    return isExact ? isStrong && !first.isFirst : near && isNoun(words)
  }
  const isAsked = MODALS.has(before.at(-1)?.lower ?? '') && AFTER.has(after?.lower ?? '')
  if (isAsked) return true
  if (first.isFirst && calls.length === 0) {
    return isExact && (found.at(-1)?.isCalled === true || AFTER.has(after?.lower ?? ''))
  }
  return isExact || words.length > 1 || calls.length > 0
}

const MODALS = new Set(['could', 'can', 'should', 'would', 'will', 'may', 'must'])

/** In lower case `plan` and `explore` are verbs, not agents. */
const isNoun = (words: readonly string[]): boolean => /(er|or|ect)$/i.test(words.at(-1) ?? '')
