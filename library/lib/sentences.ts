let segmenter: Intl.Segmenter | undefined

/** Made when first used: it takes as long as all else of an action's loading. */
const segment = (text: string) => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  return [...segmenter.segment(text)]
}

/** The sentences of a text in order, white space collapsed; a line break between paragraphs ends one too. */
export const splitSentences = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .flatMap((paragraph) => segment(paragraph.replace(/\s+/g, ' ')))
    .map((part) => part.segment.trim())
    .filter((sentence) => sentence !== '')

export const countWords = (text: string): number =>
  text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0
