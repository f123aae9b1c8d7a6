let segmenter: Intl.Segmenter | undefined

/** Created lazily, because it takes as long as the rest of an action's loading. */
const segment = (text: string) => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  return [...segmenter.segment(text)]
}

/**
 * The sentences of a text in order, white space collapsed; a paragraph break also ends a sentence.
 */
export const splitSentences = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .flatMap((paragraph) => segment(paragraph.replace(/\s+/g, ' ')))
    .map((part) => part.segment.trim())
    .filter((sentence) => sentence !== '')

export const countWords = (text: string): number =>
  text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0
