const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences of a text in order, white space collapsed; a line break between paragraphs ends one too. */
export const splitSentences = (text: string): string[] =>
  text
    .split(/\n\s*\n/)
    .flatMap((paragraph) => [...segmenter.segment(paragraph.replace(/\s+/g, ' '))])
    .map(({ segment }) => segment.trim())
    .filter((sentence) => sentence !== '')

export const countWords = (text: string): number =>
  text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0
