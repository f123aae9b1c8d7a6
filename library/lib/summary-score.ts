import { findKeyTerms, type KeyTerm, stemsIn } from './key-terms.ts'
import { countWords } from './sentences.ts'

/** The desired length of a summary in words. */
export const SUMMARY_WORDS = { min: 60, max: 160 }
const TERMS = 12
const COVERAGE_POINTS = 70
const LENGTH_POINTS = 30

export interface SummaryScore {
  /** 0 to 100: how much of the text's content the summary covers, and whether its length fits. */
  score: number
  missing: KeyTerm[]
  words: number
}

/** Scores a summary by counting alone, so that the result is deterministic. */
export const scoreSummary = (summary: string, content: string): SummaryScore => {
  const terms = findKeyTerms(content, TERMS)
  const present = stemsIn(summary)
  const missing = terms.filter(({ stem }) => !present.has(stem))
  const total = weigh(terms)
  const coverage = total === 0 ? 1 : 1 - weigh(missing) / total
  const words = countWords(summary)
  const score = Math.round(
    COVERAGE_POINTS * coverage + LENGTH_POINTS * lengthFit(words, countWords(content)),
  )
  return { score, missing, words }
}

const weigh = (terms: readonly KeyTerm[]): number =>
  terms.reduce((sum, { weight }) => sum + weight, 0)

/** 1 within the desired length, decreasing outside. A short text needs less. */
const lengthFit = (words: number, contentWords: number): number => {
  const min = Math.min(SUMMARY_WORDS.min, Math.max(1, contentWords / 2))
  if (words < min) return words / min
  return words > SUMMARY_WORDS.max ? SUMMARY_WORDS.max / words : 1
}
