import type { ActionContextV2, Fields } from '@steward/contract'
import { readText } from '../../lib/read-fields.ts'
import { scoreSummary } from '../../lib/summary-score.ts'

export const execute = (input: Fields, context: ActionContextV2): Fields => {
  const { score, missing, words } = scoreSummary(
    readText(input, 'summary'),
    readText(input, 'content'),
  )
  context.log(`${score} of 100 in ${words} words, ${missing.length} key terms missing`)
  return { qualityScore: score, missing_terms: missing.map(({ word }) => word) }
}
