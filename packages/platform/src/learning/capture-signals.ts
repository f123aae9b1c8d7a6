import type { LearningSignal } from '@steward/contract'
import { findTrivia } from '../work-state/find-trivia.ts'
import { isSystemText, withoutSystemText } from '../work-state/system-text.ts'
import { captureRating, type PromptContext } from './capture-rating.ts'

/**
 * Signals that a prompt or failure shows without guessing. `praise` and `correction` are English
 * words in short prompts; `low-rating` is a rating of 4 or less; `repeated-failure` the same
 * failure of one tool three times in a session; `interruption` a tool that the person stopped.
 */
export const SIGNAL_KINDS = [
  'praise',
  'correction',
  'low-rating',
  'repeated-failure',
  'interruption',
] as const
export type SignalKind = (typeof SIGNAL_KINDS)[number]

const LOW_RATING = 4
const LONGEST_SUMMARY = 200
/** In longer prompts a single word does not judge the previous answer. */
const LONGEST_JUDGEMENT = 280

/** The learning signals in a prompt; usually none. */
export const captureSignals = (prompt: string, context: PromptContext): LearningSignal[] => {
  if (isSystemText(prompt)) return []
  const text = withoutSystemText(prompt)
  const rating = captureRating(prompt, context)
  if (rating !== undefined) {
    if (rating.rating > LOW_RATING) return []
    const comment = rating.comment === undefined ? '' : `: ${rating.comment}`
    return [signalOf('low-rating', `rated ${rating.rating}${comment}`, context)]
  }
  if (findTrivia(prompt) === 'praise') return [signalOf('praise', text, context)]
  return isCorrection(text) ? [signalOf('correction', text, context)] : []
}

export const signalOf = (
  kind: SignalKind,
  summary: string,
  { timestamp, session_id }: PromptContext,
): LearningSignal => ({
  timestamp,
  session_id,
  kind,
  summary: shorten(summary),
})

const CORRECTIONS = [
  /^(no|nope|wrong|incorrect|stop)\b\s*([,.!:;-]|$)/i,
  /\bthat(?:'|’)?s (?:not (?:right|correct|true|what)|wrong|incorrect)\b/i,
  /\bthat is (?:not (?:right|correct|true|what)|wrong|incorrect)\b/i,
  /\bnot what i (?:asked|wanted|meant|said)\b/i,
  /\bi (?:already )?(?:said|told you|asked you)\b/i,
  /\byou (?:broke|missed|forgot|ignored|misunderstood|deleted)\b/i,
  /\b(?:undo|revert) (?:that|this|it|your)\b/i,
  /\bstill (?:broken|failing|fails|wrong|not working|does(?:n(?:'|’)t| not) work)\b/i,
  /\b(?:it|that|this) (?:doesn(?:'|’)t|does not|didn(?:'|’)t|did not) work\b/i,
]

const isCorrection = (text: string): boolean =>
  text.length <= LONGEST_JUDGEMENT && CORRECTIONS.some((pattern) => pattern.test(text))

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= LONGEST_SUMMARY ? line : `${line.slice(0, LONGEST_SUMMARY - 1)}…`
}
