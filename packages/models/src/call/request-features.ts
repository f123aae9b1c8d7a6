import type { ModelTraits } from '../providers/model-table.ts'
import type { VendorFailure } from './vendor-failure.ts'

/** The optional parts of a request that the model is believed to accept. */
export interface RequestFeatures {
  temperature: boolean
  /** The vendor's own JSON mode; without it the instructions ask for JSON. */
  format: boolean
  reasoning: boolean
  maxTokensField: ModelTraits['maxTokensField']
}

export const featuresAcceptedBy = (traits: ModelTraits): RequestFeatures => ({
  temperature: traits.temperature,
  format: true,
  reasoning: true,
  maxTokensField: traits.maxTokensField,
})

/**
 * What to leave out after a 400 that names it; undefined if the error is about something else.
 * Servers and models change faster than any table, so the response decides.
 */
export const narrow = (
  accepted: RequestFeatures,
  failure: VendorFailure,
): RequestFeatures | undefined => {
  if (failure.status !== 400 && failure.status !== 422) return undefined
  const names = (part: RegExp) => part.test(failure.message)
  if (accepted.temperature && names(/temperature/i)) return { ...accepted, temperature: false }
  if (accepted.maxTokensField === 'max_tokens' && names(/max_completion_tokens/)) {
    return { ...accepted, maxTokensField: 'max_completion_tokens' }
  }
  if (accepted.reasoning && names(/thinking|reasoning/i)) return { ...accepted, reasoning: false }
  if (accepted.format && names(/response_?format|json_?schema|output_?(config|format)/i)) {
    return { ...accepted, format: false }
  }
  return undefined
}
