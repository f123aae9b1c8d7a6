import { countWords, splitSentences } from '../../lib/sentences.ts'
import { SUMMARY_WORDS, scoreSummary } from '../../lib/summary-score.ts'

/**
 * Merges an addition into a draft, in text order for quoted sentences; while the result is too
 * long, drops the least important sentence.
 */
export const mergeSummary = (draft: string, addition: string, content: string): string => {
  const sentences = [...new Set([...splitSentences(draft), ...splitSentences(addition)])]
  let kept = sortAsInText(sentences, content)
  while (kept.length > 1 && countWords(kept.join(' ')) > SUMMARY_WORDS.max) {
    kept = withoutLeastMissed(kept, content)
  }
  return kept.join(' ')
}

/** Quoted sentences follow the text; the model's own sentences stay after their predecessor. */
const sortAsInText = (sentences: string[], content: string): string[] => {
  const flat = content.replace(/\s+/g, ' ')
  let last = -1
  return sentences
    .map((sentence) => {
      const at = flat.indexOf(sentence)
      last = at === -1 ? last : at
      return { sentence, at: last }
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence)
}

const withoutLeastMissed = (sentences: string[], content: string): string[] => {
  const shorter = sentences.map((_, index) => sentences.toSpliced(index, 1))
  return shorter.reduce((best, candidate) =>
    scoreSummary(candidate.join(' '), content).score > scoreSummary(best.join(' '), content).score
      ? candidate
      : best,
  )
}
