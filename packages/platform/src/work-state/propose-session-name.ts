import { withoutSystemText } from './system-text.ts'

const MOST_WORDS = 5
const FEWEST_WORDS = 4

/** Words without meaning in a name. */
const SMALL_WORDS = new Set(
  (
    'a an and are as at be but by can could do does for from have how i if in into is it its just let ' +
    'lets me my of on or our please should so some that the then there these this those to up us want ' +
    'was we what when where which who why will with would you your'
  ).split(' '),
)

const VERBS = new Set(
  (
    'add analyse analyze architect audit automate benchmark build bump change check clean compare ' +
    'configure convert create debug delete deploy describe design document draft edit explain explore ' +
    'extend extract find finish fix generate implement improve install investigate list make measure ' +
    'merge migrate move open optimise optimize organise organize parse plan port prepare profile publish ' +
    'read refactor release remove rename repair replace research restore review rewrite run search set ' +
    'show simplify sort speed split start summarise summarize sync test tidy trace translate try tune ' +
    'update upgrade verify wire write'
  ).split(' '),
)

const READ_CHARS = 2000
const MASK = /\[redacted[^\]]*\]/g

/**
 * A name for a session from its first prompt: four or five words in title case, verb first. The prompt
 * must be masked, because the words of a secret no longer look like one.
 */
export const proposeSessionName = (prompt: string): string | undefined => {
  const text = withoutSystemText(prompt).slice(0, READ_CHARS).replace(MASK, ' ')
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? []
  if (words.length === 0) return undefined
  const verbAt = words.findIndex((word) => VERBS.has(word))
  const verb = words[verbAt] ?? (text.includes('?') ? 'explain' : 'discuss')
  const rest = words.slice(verbAt + 1)
  const telling = rest.filter((word) => !SMALL_WORDS.has(word))
  const chosen = telling.length >= FEWEST_WORDS - 1 ? telling : rest
  return [verb, ...chosen.slice(0, MOST_WORDS - 1)].map(toTitle).join(' ')
}

const toTitle = (word: string): string => {
  const [first = '', ...rest] = word
  return first.toUpperCase() + rest.join('')
}
