import { findTrivia } from '@steward/platform'

export type Conversation = 'greeting' | 'acknowledgment' | 'simple-question'

/**
 * Detects conversation: the completion line of its answer is spoken, so an announcement would
 * repeat it. Spec 2, Announcement rules 1.
 */
export const findConversation = (prompt: string): Conversation | undefined => {
  if (findTrivia(prompt) !== undefined) return 'acknowledgment'
  const text = plain(prompt)
  if (GREETINGS.some((greeting) => greeting.test(text))) return 'greeting'
  if (isAcknowledgment(text)) return 'acknowledgment'
  return SIMPLE_QUESTIONS.some((question) => question.test(text)) ? 'simple-question' : undefined
}

const plain = (prompt: string): string =>
  prompt
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}'+*/\-\s]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const GREETINGS: readonly RegExp[] = [
  /^(?:hi|hello|hey|howdy|yo|greetings|welcome back)(?: there| again| everyone)?(?: \p{L}+)?$/u,
  /^(?:good )?(?:morning|afternoon|evening|night|day)(?: \p{L}+)?$/u,
  /^(?:bye|goodbye|see you(?: later| tomorrow)?)$/,
  /^(?:how are you(?: doing)?(?: today)?|how's it going|what's up|how do you do)$/,
]

const AGREEMENT = new Set(
  `yes | yep | yeah | yup | no | nope | ok | okay | sure | right | correct | exactly | indeed |
  fine | agreed | understood | got it | i see | makes sense | that makes sense | sounds good |
  sounds great | looks good | lgtm | go ahead | go on | continue | proceed | carry on |
  keep going | do it | please do | please | never mind | nevermind | no problem | no worries |
  no thanks | not now | later | wait | stop | done | approved | thanks | thank you |
  thanks a lot | thank you very much | ty | that works | works for me | i agree | all good |
  that is all | that's all | that's it`.split(/\s*\|\s*/),
)
const SOFTENERS = /\b(?:so much|a lot|very much|please|then|again|now|claude|assistant)\b/g

/** Every part is an acknowledgment: `yes, go ahead`, `ok thanks`. */
const isAcknowledgment = (text: string): boolean => {
  if (AGREEMENT.has(text)) return true
  const words = text.replaceAll(SOFTENERS, ' ').split(/\s+/).filter(Boolean)
  if (words.length === 0) return text !== ''
  const cover = (from: number): boolean =>
    from === words.length ||
    [3, 2, 1].some(
      (count) =>
        from + count <= words.length &&
        AGREEMENT.has(words.slice(from, from + count).join(' ')) &&
        cover(from + count),
    )
  return words.length <= 6 && cover(0)
}

/** Answered from knowledge, without opening or running anything. */
const SIMPLE_QUESTIONS: readonly RegExp[] = [
  /^(?:who|what) are you$/,
  /^what(?:'s| is) your (?:name|model|version|favou?rite \p{L}+)$/u,
  /^what can you do(?: for me)?$/,
  /^(?:can|could) you help(?: me)?$/,
  /^are you (?:there|ready|ok|sure|done|finished|serious|real|human)$/,
  /^(?:what|how much)(?:'s| is) [\d\s.+*/-]+$/,
  /^what does (?:\p{L}|[\d-])+ (?:mean|stand for)$/u,
  /^what(?:'s| is) the (?:difference between|meaning of|definition of) /,
  /^what(?:'s| is) (?:an? )?(?:\p{L}|-)+$/u,
  /^(?:does|did) (?:that|this|it) make sense$/,
  /^(?:what do you think|really|why not|how so|for real|right)$/,
  /^tell me a (?:joke|story)$/,
]
