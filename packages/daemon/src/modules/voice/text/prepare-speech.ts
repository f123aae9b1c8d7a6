import { LIMITS } from '@steward/contract'
import { cutSpeech } from './cut-speech.ts'
import { stripMarkdown } from './strip-markdown.ts'

/** The spoken text of a message: without Markdown, cut to length. Empty if nothing remains. */
export const prepareSpeech = (message: string): { text: string; truncated: boolean } =>
  cutSpeech(stripMarkdown(message), LIMITS.speechChars)
