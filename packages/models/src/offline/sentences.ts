/** Abbreviations after which a sentence goes on. */
const GOES_ON =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|approx|No|Fig|Inc|Ltd|Corp|Co|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|U\.S|U\.K|\p{Lu})\.\s*$/u

/** As much of a sentence's end as an abbreviation can be. */
const TAIL = 12

/** Made when it is first needed: the first of a process takes as long as a tenth of its start. */
let segmenter: Intl.Segmenter | undefined

/** Splits running text into sentences, paragraph by paragraph. */
export const splitSentences = (paragraphs: readonly string[]): string[] => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  const split = segmenter
  return paragraphs.flatMap((paragraph) => {
    const sentences: string[] = []
    for (const { segment } of split.segment(paragraph)) {
      const last = sentences.at(-1)
      if (last !== undefined && GOES_ON.test(last.slice(-TAIL)))
        sentences[sentences.length - 1] = last + segment
      else sentences.push(segment)
    }
    return sentences.map((sentence) => sentence.replace(/\s+/g, ' ').trim()).filter(Boolean)
  })
}
