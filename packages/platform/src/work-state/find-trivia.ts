import { isSystemText, withoutSystemText } from './system-text.ts'

export type TriviaReason = 'too-short' | 'praise' | 'rating' | 'system'

/** Spec 2, Classification. */
const MIN_PROMPT_CHARS = 3

/** Why a prompt is not about work; undefined if it is. */
export const findTrivia = (prompt: string): TriviaReason | undefined => {
  if (isSystemText(prompt)) return 'system'
  const text = withoutSystemText(prompt)
  if (readBareRating(text) !== undefined) return 'rating'
  if ([...text].length < MIN_PROMPT_CHARS) return 'too-short'
  return isPraise(text) ? 'praise' : undefined
}

/** A prompt that is only a rating of 1 to 10: `8`, `10/10`, `7!`. */
export const readBareRating = (prompt: string): number | undefined => {
  const found = /^(10|[1-9])(?:\s*\/\s*10)?\s*[.!]*$/.exec(prompt.trim())
  return found?.[1] === undefined ? undefined : Number(found[1])
}

const PRAISE_WORDS = new Set([
  'amazing',
  'awesome',
  'beautiful',
  'bravo',
  'brilliant',
  'cheers',
  'congrats',
  'cool',
  'excellent',
  'fabulous',
  'fantastic',
  'good',
  'gorgeous',
  'great',
  'impressive',
  'incredible',
  'kudos',
  'lovely',
  'magnificent',
  'marvelous',
  'neat',
  'nice',
  'outstanding',
  'perfect',
  'splendid',
  'stellar',
  'sublime',
  'superb',
  'sweet',
  'terrific',
  'thanks',
  'thx',
  'wonderful',
  'wow',
  'yay',
])

/** These intensify praise but are not praise alone. */
const STRENGTHENERS = new Set(['absolutely', 'pretty', 'really', 'simply', 'so', 'truly', 'very'])

const PRAISE_PHRASES = new Set([
  'amazing job',
  'amazing work',
  'awesome job',
  'awesome work',
  'beautiful work',
  'excellent job',
  'excellent work',
  'fantastic work',
  'good call',
  'good job',
  'good stuff',
  'good work',
  'great job',
  'great stuff',
  'great work',
  'love it',
  'love this',
  'many thanks',
  'nailed it',
  'nice job',
  'nice one',
  'nice work',
  'perfect job',
  'thank you',
  'thanks mate',
  'well done',
  'well played',
])

const LONGEST_PRAISE_CHARS = 60

/** At most two words, all of them praise. */
const isPraise = (text: string): boolean => {
  if (text.length > LONGEST_PRAISE_CHARS) return false
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const [first, second] = words
  if (first === undefined || words.length > 2) return false
  if (second === undefined) return PRAISE_WORDS.has(first)
  if (PRAISE_PHRASES.has(`${first} ${second}`)) return true
  return (PRAISE_WORDS.has(first) || STRENGTHENERS.has(first)) && PRAISE_WORDS.has(second)
}
