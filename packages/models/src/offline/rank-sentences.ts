import type { Material } from './material.ts'
import { isTelling, splitWords, stem } from './words.ts'

interface Ranked {
  sentence: string
  index: number
  score: number
  stems: ReadonlySet<string>
}

/** Text around an article rather than in it. */
const BOILERPLATE =
  /\b(subscribe|sign up|newsletter|cookies?|click here|read more|all rights reserved|follow us|share this|advertis|sponsored|terms of service|privacy policy|leave a comment)\b/i
/** Such an opening depends on the previous sentence. */
const LEANS =
  /^(and|but|so|or|then|also|this|that|these|those|it|they|he|she|here|however|still|yet|for example|for instance|in addition|moreover|instead|as a result|by contrast|of course)\b/i

/** Sentences, most central first: closest to the words that the text repeats. */
export const rankSentences = (material: Material): Ranked[] => {
  const sentences = material.sentences.map((sentence) => ({
    sentence,
    stems: new Set(splitWords(sentence).filter(isTelling).map(stem)),
  }))
  const spread = new Map<string, number>()
  for (const { stems } of sentences) {
    for (const term of stems) spread.set(term, (spread.get(term) ?? 0) + 1)
  }
  const titleStems = new Set(splitWords(material.title).filter(isTelling).map(stem))

  return sentences
    .map(({ sentence, stems }, index) => {
      const weight = [...stems].reduce(
        (sum, term) => sum + Math.log1p((spread.get(term) ?? 1) - 1),
        0,
      )
      const centrality = stems.size === 0 ? 0 : weight / Math.sqrt(stems.size + 4)
      const onTitle = [...stems].filter((term) => titleStems.has(term)).length
      const lead = 1 / (1 + index / 4)
      const score = (centrality + 0.35 * onTitle + 0.9 * lead) * fitness(sentence)
      return { sentence, index, score, stems }
    })
    .sort((a, b) => b.score - a.score || a.index - b.index)
}

/** The best `count` sentences that do not repeat each other, in the order of the text. */
export const pickSentences = (ranked: readonly Ranked[], count: number): string[] => {
  const picked: Ranked[] = []
  for (const candidate of ranked) {
    if (picked.length >= count) break
    if (picked.every((earlier) => overlap(earlier.stems, candidate.stems) < 0.6)) {
      picked.push(candidate)
    }
  }
  return picked.sort((a, b) => a.index - b.index).map(({ sentence }) => sentence)
}

/** How well a sentence stands alone, 0 to 1. */
const fitness = (sentence: string): number => {
  const words = sentence.split(/\s+/).length
  const length = words < 6 ? 0.25 : words < 10 ? 0.8 : words <= 38 ? 1 : 38 / words
  const penalties = [
    BOILERPLATE.test(sentence) ? 0.1 : 1,
    LEANS.test(sentence) ? 0.6 : 1,
    /\?["'”’)]?$/.test(sentence) ? 0.5 : 1,
    /^["'“‘(]/.test(sentence) ? 0.75 : 1,
    /[.!?。！？…]["'”’)]?$/.test(sentence) ? 1 : 0.6,
    /\b(I|my|me|we|our)\b/.test(sentence) ? 0.7 : 1,
  ]
  return penalties.reduce((product, factor) => product * factor, length)
}

const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  const shared = [...a].filter((term) => b.has(term)).length
  return shared / Math.max(1, Math.min(a.size, b.size))
}
