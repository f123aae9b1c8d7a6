import { LIMITS } from '@steward/contract'
import { cutSpeech } from './cut-speech.ts'
import { stripMarkdown } from './strip-markdown.ts'

/** A message as it is said: without Markdown, cut to length. Empty when there is nothing to say. */
export const prepareSpeech = (message: string): { text: string; truncated: boolean } =>
  cutSpeech(stripMarkdown(message), LIMITS.speechChars)
