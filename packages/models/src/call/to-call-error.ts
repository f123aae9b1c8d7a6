import { parseRetryAfter, reasonOf, StewardError } from '@steward/contract'
import type { ProviderChoice } from '../providers/choose-provider.ts'
import { classifyFailure } from './classify-failure.ts'
import { redactKey } from './redact-key.ts'
import { findVendorFailure, type VendorFailure } from './vendor-failure.ts'

/** Converts any error of a vendor call into one of the table. The key is removed from it. */
export const toCallError = (
  thrown: unknown,
  choice: ProviderChoice,
  model: string,
  now: Date,
): StewardError => {
  if (thrown instanceof StewardError) return thrown
  const service = serviceOf(choice)
  const failure = findVendorFailure(thrown)
  if (failure !== undefined) return ofFailure(failure, service, model, now)
  const reason = `not what its interface promises: ${redactKey(choice.apiKey)(reasonOf(thrown))}`
  return new StewardError('upstream_failed', { service, reason })
}

const ofFailure = (
  failure: VendorFailure,
  service: string,
  model: string,
  now: Date,
): StewardError => {
  const { status, message } = failure
  const reason = status === undefined ? message : `${status} ${message}`
  switch (classifyFailure(failure)) {
    case 'content':
      return new StewardError('rejected_content', { subject: service, reason }, failure)
    case 'key':
      return new StewardError('invalid_api_key', { service }, failure)
    case 'credit':
      return new StewardError('credit_exhausted', { service, reason }, failure)
    case 'account': {
      const subject = `the account at ${service}`
      return new StewardError('not_configured', { subject, reason }, failure)
    }
    case 'model': {
      const subject = `the model ${model}`
      const remedy = 'name another with LLM_MODEL_FAST, LLM_MODEL_STANDARD or LLM_MODEL_DEEP'
      return new StewardError(
        'not_configured',
        { subject, reason: `${service} answered ${reason}; ${remedy}` },
        failure,
      )
    }
    case 'rate-limited':
      return new StewardError(
        'rate_limited',
        { service, reason: withWait(failure), ...waitOf(failure, now) },
        failure,
      )
    case 'overloaded':
      return new StewardError(
        'model_overloaded',
        { service, status: status ?? 529, ...waitOf(failure, now) },
        failure,
      )
    case 'request':
    case 'failed':
      return new StewardError(
        'upstream_failed',
        { service, reason, ...waitOf(failure, now) },
        failure,
      )
  }
}

const withWait = ({ message, retryAfter }: VendorFailure): string =>
  retryAfter === null ? message : `${message} (retry after ${retryAfter})`

/** For callers that wait longer than the client does. */
const waitOf = ({ retryAfter }: VendorFailure, now: Date): { retryAfterSeconds?: number } => {
  const ms = parseRetryAfter(retryAfter, now.getTime())
  return ms === undefined ? {} : { retryAfterSeconds: Math.ceil(ms / 1000) }
}

const serviceOf = ({ provider, baseUrl }: ProviderChoice): string => {
  if (provider === 'anthropic') return 'Anthropic'
  if (provider === 'ollama') return 'Ollama'
  const host = baseUrl === undefined ? '' : new URL(baseUrl).host
  return host === 'api.openai.com' ? 'OpenAI' : `the model server at ${host}`
}
