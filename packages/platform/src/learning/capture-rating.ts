import type { RatingRow } from '@steward/contract'
import { readBareRating } from '../work-state/find-trivia.ts'
import { isSystemText, withoutSystemText } from '../work-state/system-text.ts'

/** The session and time of a prompt. */
export interface PromptContext {
  session_id: string
  /** ISO with an offset. */
  timestamp: string
}

const LONGEST_COMMENT = 500

/**
 * `8 - well done`, `3/10: too slow`. The space beside the dash distinguishes it from `5-minute`.
 */
const WITH_COMMENT = /^(10|[1-9])(?:\s*\/\s*10)?(?:\s+[-–—]+\s*|\s*[-–—]+\s+|\s*:\s+)(\S[\s\S]*)$/

/** The explicit rating in a prompt; undefined for other prompts. */
export const captureRating = (
  prompt: string,
  { session_id, timestamp }: PromptContext,
): RatingRow | undefined => {
  if (isSystemText(prompt)) return undefined
  const text = withoutSystemText(prompt)
  const bare = readBareRating(text)
  if (bare !== undefined) return { timestamp, rating: bare, session_id, source: 'explicit' }
  const [, value, comment = ''] = WITH_COMMENT.exec(text) ?? []
  if (value === undefined || !isComment(comment)) return undefined
  return {
    timestamp,
    rating: Number(value),
    session_id,
    comment: [...comment.trim()].slice(0, LONGEST_COMMENT).join(''),
    source: 'explicit',
  }
}

/** Excludes lists that only begin like a rating, and calculations such as `8 - 3`. */
const isComment = (text: string): boolean =>
  /\p{L}{2}/u.test(text) && !/^[^\S\n]*\d+\s*[-–—.:)]/m.test(text)
