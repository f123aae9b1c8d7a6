import { reasonOf, StewardError } from '@steward/contract'
import type { ProviderChoice } from '../providers/choose-provider.ts'
import { redactKey } from './redact-key.ts'
import { findVendorFailure, type VendorFailure } from './vendor-failure.ts'

/** Converts any error of a vendor call into one of the table. The key is removed from it. */
export const toCallError = (
  thrown: unknown,
  choice: ProviderChoice,
  model: string,
): StewardError => {
  if (thrown instanceof StewardError) return thrown
  const service = serviceOf(choice)
  const failure = findVendorFailure(thrown)
  if (failure !== undefined) return ofFailure(failure, service, model)
  const reason = `not what its interface promises: ${redactKey(choice.apiKey)(reasonOf(thrown))}`
  return new StewardError('upstream_failed', { service, reason })
}

const ofFailure = (failure: VendorFailure, service: string, model: string): StewardError => {
  const { status, message } = failure
  const reason = status === undefined ? message : `${status} ${message}`
  switch (status) {
    case 400:
    case 413:
    case 422:
      return new StewardError('rejected_content', { subject: service, reason }, failure)
    case 401:
      return new StewardError('invalid_api_key', { service }, failure)
    case 403:
    case 404: {
      const subject = `the model ${model}`
      const remedy = 'name another with LLM_MODEL_FAST, LLM_MODEL_STANDARD or LLM_MODEL_DEEP'
      return new StewardError(
        'not_configured',
        { subject, reason: `${service} answered ${reason}; ${remedy}` },
        failure,
      )
    }
    case 429:
      return new StewardError('rate_limited', { service, reason: withWait(failure) }, failure)
    case 529:
      return new StewardError('model_overloaded', { service }, failure)
    default:
      return new StewardError('upstream_failed', { service, reason }, failure)
  }
}

const withWait = ({ message, retryAfter }: VendorFailure): string =>
  retryAfter === null ? message : `${message} (retry after ${retryAfter})`

const serviceOf = ({ provider, baseUrl }: ProviderChoice): string => {
  if (provider === 'anthropic') return 'Anthropic'
  if (provider === 'ollama') return 'Ollama'
  const host = baseUrl === undefined ? '' : new URL(baseUrl).host
  return host === 'api.openai.com' ? 'OpenAI' : `the model server at ${host}`
}
