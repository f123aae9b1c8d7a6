import type { ActionContextV2, JsonObject } from '@steward/contract'
import { readText } from '../../lib/read-fields.ts'
import { scoreSummary } from '../../lib/summary-score.ts'

export const execute = (input: JsonObject, context: ActionContextV2): JsonObject => {
  const { score, missing, words } = scoreSummary(
    readText(input, 'summary'),
    readText(input, 'content'),
  )
  const terms = missing.map(({ word }) => word)
  context.log(
    `summary: ${score} of 100 in ${words} words, missing: ${terms.join(', ') || 'nothing'}`,
  )
  return { qualityScore: score, missing_terms: terms }
}
