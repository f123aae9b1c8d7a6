import { type LlmOptions, MODEL_TIERS, type ModelTier, StewardError } from '@steward/contract'

/** The tier of a call: `fast` by default; `smart` is the old name of `deep`. */
export const tierOf = ({ tier = 'fast' }: LlmOptions): ModelTier =>
  tier === 'smart' ? 'deep' : tier

/** Actions may be plain JavaScript, so their arguments are validated at run time. */
export const checkCall = (prompt: string, options: LlmOptions): void => {
  const wrong = (field: string, reason: string) =>
    new StewardError('invalid_input', { subject: `llm ${field}`, reason, field })
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw wrong('prompt', 'a prompt must be a non-empty text')
  }
  if (!MODEL_TIERS.includes(tierOf(options))) {
    throw wrong('tier', `${options.tier} is not a tier; use one of ${MODEL_TIERS.join(', ')}`)
  }
  const { maxTokens } = options
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens > 0)) {
    throw wrong('maxTokens', `${maxTokens} is not a whole number above 0`)
  }
}
