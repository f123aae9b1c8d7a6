import { LIMITS } from '@steward/contract'

import { stripMarkdown } from './strip-markdown.ts'

/** The spoken text of a message: without Markdown, cut to length. Empty if nothing remains. */
export const prepareSpeech = (message: string): { text: string; truncated: boolean } =>
  cutSpeech(stripMarkdown(message), LIMITS.speechChars)

/** Cuts at the last word that fits; without a space, between two grapheme clusters. */
export const cutSpeech = (text: string, maxChars: number): { text: string; truncated: boolean } => {
  if (text.length <= maxChars) return { text, truncated: false }
  const room = text.slice(0, maxChars + 1)
  const space = room.search(/\s\S*$/)
  const cut = space > 0 ? text.slice(0, space).trimEnd() : cutBetweenCharacters(text, maxChars)
  return { text: cut, truncated: true }
}

const cutBetweenCharacters = (text: string, maxChars: number): string => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let end = 0
  // Slightly more than needed, so that the character at the limit is complete.
  for (const { index, segment } of segmenter.segment(text.slice(0, maxChars * 2))) {
    if (index + segment.length > maxChars) break
    end = index + segment.length
  }
  return text.slice(0, end)
}
