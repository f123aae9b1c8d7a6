import { type Conversation, findConversation } from './find-conversation.ts'
import { leadingVerb, type RequestVerb } from './request-verbs.ts'

export type RequestClass = RequestVerb | { kind: 'conversation'; conversation: Conversation }

/** The kind of a request, and the gerund that announces it. */
export const classifyRequest = (prompt: string): RequestClass => {
  const conversation = findConversation(prompt)
  if (conversation !== undefined) return { kind: 'conversation', conversation }
  return classifyWork(withoutManners(prompt))
}

/** Polite phrases before the actual request. */
const MANNERS: readonly RegExp[] = [
  /^(?:hey|hi|hello|ok|okay|alright|yes|sure|great|good|thanks|thank you)\b[,.!:]?\s+/i,
  /^(?:now|so|and|then|next|please|kindly|also|just|first|quickly|actually)\b[,.!:]?\s+/i,
  /^(?:claude|assistant)[,:]\s+/i,
  /^(?:can|could|would|will|won't) (?:you|we)(?: please| kindly| also| just| quickly)?\s+/i,
  /^(?:i|we)(?:'d| would) (?:like|love|want) (?:you )?to\s+/i,
  /^(?:i|we) (?:want|need) (?:you )?to\s+/i,
  /^(?:i am|i'm|we are|we're) (?:trying|wondering|looking) (?:to\s+)?/i,
  /^(?:go|come) (?:ahead and|and)\s+/i,
  /^(?:let's|lets|let us|help me|help us|try to|have a look and|you should|we should)\s+(?=\p{L})/iu,
]

const withoutManners = (prompt: string): string => {
  let text = prompt.trim().replaceAll('’', "'")
  for (let before = ''; before !== text; ) {
    before = text
    for (const manner of MANNERS) text = text.replace(manner, '')
  }
  return text
}

/** Matches one of these as whole words. */
const oneOf = (words: string): RegExp =>
  new RegExp(
    `\\b(?:${words
      .trim()
      .split(/ \|\s+/)
      .join('|')})\\b`,
    'i',
  )
/** Matches one of these at the beginning. */
const beginsWith = (words: string): RegExp => new RegExp(`^${oneOf(words).source}`, 'i')

const FAULT = oneOf(`bugs? | crash(?:es|ed|ing)? | errors? | exceptions? | stack ?traces? |
  fail(?:s|ed|ing|ures?)? | broken | breaks | hangs? | hanging | freez(?:es|ing) | leaks? | leaking |
  flaky | regressions? | segfaults? | doesn't work | does not work | not working | stopped working |
  won't (?:start|build|load|compile|run)`)
const CAUSE = beginsWith(`why | how come | what(?:'s| is| was)? (?:causing|caused|causes) |
  what(?:'s| is| was)? (?:wrong|going wrong) | what(?:'s| is| was)? the (?:cause|reason)`)
const CAUSE_WITHIN = oneOf('why | what (?:causes|caused|is causing) | root cause | the cause of')
const OPTIONS = beginsWith(`what(?:'s| is| are)(?: the| some)? (?:best|latest|current|good|newest) |
  what(?:'s| is| are)(?: the| some)? (?:available|most popular|options|alternatives) |
  what(?:'s| is| are)(?: the| some)? (?:state of the art|pros and cons)`)
const QUESTION = beginsWith(`who | whom | whose | what | when | where | which | how | is | are |
  was | were | am | do | does | did | has | have | had | can | could | should | would | will | may |
  isn't | aren't | doesn't | don't | whether | if`)
const SUGGESTION = oneOf(`should | must | needs? to | has to | have to | ought to | instead of |
  rather than | wants? | is missing | are missing`)
const SLIP = oneOf('typos? | misspell\\w* | wrong | incorrect | mistakes? | outdated | missing')

interface Rule extends RequestVerb {
  when: (text: string) => boolean
}

/** The first matching rule determines the kind. */
const RULES: readonly Rule[] = [
  { kind: 'research', gerund: 'Exploring', when: (text) => OPTIONS.test(text) },
  {
    kind: 'investigation',
    gerund: 'Debugging',
    when: (text) => CAUSE.test(text) && FAULT.test(text),
  },
  { kind: 'investigation', gerund: 'Investigating', when: (text) => CAUSE.test(text) },
  {
    kind: 'question',
    gerund: 'Finding',
    when: (text) => /^(?:who|whose|where|where's|which)\b/i.test(text),
  },
  {
    kind: 'question',
    gerund: 'Looking up',
    when: (text) => /^(?:what|what's|when|how)\b/i.test(text),
  },
  { kind: 'question', gerund: 'Checking', when: (text) => QUESTION.test(text) },
  { kind: 'investigation', gerund: 'Debugging', when: (text) => FAULT.test(text) },
  { kind: 'question', gerund: 'Checking', when: (text) => text.trimEnd().endsWith('?') },
  { kind: 'command', gerund: 'Fixing', when: (text) => SLIP.test(text) },
  { kind: 'command', gerund: 'Updating', when: (text) => SUGGESTION.test(text) },
]

const classifyWork = (text: string): RequestVerb => {
  const verb = leadingVerb(text)
  if (verb !== undefined) return refine(verb)
  const { kind, gerund } = RULES.find(({ when }) => when(text)) ?? CLAIMS_LEAST
  return { kind, gerund }
}

/** Finding a bug or explaining why something happens counts as an investigation. */
const refine = ({ kind, gerund, rest }: RequestVerb & { rest: string }): RequestVerb => {
  if (kind !== 'question') return { kind, gerund }
  if (CAUSE_WITHIN.test(rest)) return { kind: 'investigation', gerund: 'Investigating' }
  if (gerund === 'Finding' && FAULT.test(rest))
    return { kind: 'investigation', gerund: 'Debugging' }
  return { kind, gerund }
}

const CLAIMS_LEAST: RequestVerb = { kind: 'question', gerund: 'Checking' }
