import {
  fail,
  MODEL_PROVIDERS,
  MODEL_TIERS,
  type ModelProvider,
  type ModelTier,
  nearestHint,
  ok,
  type Result,
  StewardError,
} from '@steward/contract'
import { parseBaseUrl } from './base-url.ts'

/** The values of the `LLM_*` variables, without any guesses: see `chooseProvider`. */
export interface ModelEnvironment {
  provider?: ModelProvider
  apiKey?: string
  baseUrl?: string
  models: Partial<Record<ModelTier, string>>
}

const MODEL_NAMES = {
  fast: 'LLM_MODEL_FAST',
  standard: 'LLM_MODEL_STANDARD',
  deep: 'LLM_MODEL_DEEP',
} as const satisfies Record<ModelTier, string>

/** Reads the `LLM_*` variables. An empty value counts as unset. */
export const readModelEnvironment = (
  env: Record<string, string | undefined>,
): Result<ModelEnvironment> => {
  const provider = readProvider(trimmed(env.LLM_PROVIDER))
  if (!provider.ok) return provider
  const apiKey = readApiKey(trimmed(env.LLM_API_KEY))
  if (!apiKey.ok) return apiKey
  const baseUrl = readBaseUrl(trimmed(env.LLM_BASE_URL))
  if (!baseUrl.ok) return baseUrl
  const models: Partial<Record<ModelTier, string>> = {}
  for (const tier of MODEL_TIERS) {
    const model = trimmed(env[MODEL_NAMES[tier]])
    if (model === undefined) continue
    if (/\s/.test(model)) {
      return wrong(MODEL_NAMES[tier], 'a model name has no spaces, for example claude-haiku-5-5')
    }
    models[tier] = model
  }
  return ok({
    ...(provider.value === undefined ? {} : { provider: provider.value }),
    ...(apiKey.value === undefined ? {} : { apiKey: apiKey.value }),
    ...(baseUrl.value === undefined ? {} : { baseUrl: baseUrl.value }),
    models,
  })
}

const readProvider = (value: string | undefined): Result<ModelProvider | undefined> => {
  if (value === undefined) return ok(undefined)
  const known = MODEL_PROVIDERS.find((provider) => provider === value.toLowerCase())
  if (known !== undefined) return ok(known)
  const choices = MODEL_PROVIDERS.join(', ')
  return wrong(
    'LLM_PROVIDER',
    `${value} is not a provider${nearestHint(value, MODEL_PROVIDERS)}; use one of ${choices}, or leave it unset`,
  )
}

const readApiKey = (value: string | undefined): Result<string | undefined> => {
  // The value becomes an HTTP header; quoting it here would print a secret.
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value)) {
    return wrong('LLM_API_KEY', 'the key has characters that a key cannot have (spaces, quotes?)')
  }
  return ok(value)
}

const readBaseUrl = (value: string | undefined): Result<string | undefined> => {
  if (value === undefined) return ok(undefined)
  const url = parseBaseUrl(value)
  return url.ok ? ok(value) : wrong('LLM_BASE_URL', url.reason)
}

const trimmed = (value: string | undefined): string | undefined => value?.trim() || undefined

const wrong = (subject: string, reason: string) =>
  fail(new StewardError('invalid_input', { subject, reason, field: subject }))
