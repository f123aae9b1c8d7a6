import {
  type Fetch,
  fail,
  MODEL_TIERS,
  type ModelProvider,
  type ModelTier,
  OFFLINE_MODEL,
  ok,
  type Result,
  StewardError,
} from '@steward/contract'
import { anthropicBase, ollamaRoot, openaiBase } from './base-url.ts'
import type { ModelEnvironment } from './environment.ts'
import { DEFAULT_MODELS } from './model-table.ts'
import { listOllamaModels, OLLAMA_ROOT } from './ollama.ts'

/** The provider of model calls, and why it was chosen. Contains the key: never log it whole. */
export interface ProviderChoice {
  provider: ModelProvider
  apiKey?: string
  /** The base of the provider's endpoint; absent for `offline`. */
  baseUrl?: string
  models: Record<ModelTier, string>
  /** The server is self-hosted and may not know the names in `models`. */
  modelsGuessed?: true
  /** Which setting or finding decided, for users who ask. */
  reason: string
}

interface Ports {
  fetch: Fetch
}

const ANTHROPIC_BASE = 'https://api.anthropic.com'
const OPENAI_BASE = 'https://api.openai.com/v1'

/**
 * Decides once, at start: `LLM_PROVIDER`, otherwise an address, otherwise a key (Anthropic's),
 * otherwise a running local Ollama with a model, otherwise the offline model.
 */
export const chooseProvider = async (
  environment: ModelEnvironment,
  ports: Ports,
): Promise<Result<ProviderChoice>> => {
  if (environment.provider !== undefined) {
    return choose(environment.provider, environment, 'LLM_PROVIDER says so', ports)
  }
  if (environment.baseUrl !== undefined) {
    const provider = isAnthropic(environment.baseUrl) ? 'anthropic' : 'openai'
    return choose(provider, environment, 'LLM_BASE_URL is set', ports)
  }
  if (environment.apiKey !== undefined) {
    return choose('anthropic', environment, 'LLM_API_KEY is set', ports)
  }
  const found = await listOllamaModels(OLLAMA_ROOT, ports.fetch)
  if (!found.ok || found.value.length === 0) {
    return ok(
      offline('no LLM_API_KEY, no LLM_BASE_URL, and no Ollama with a model on this machine'),
    )
  }
  return choose('ollama', environment, 'Ollama runs on this machine', ports)
}

const choose = (
  provider: ModelProvider,
  environment: ModelEnvironment,
  reason: string,
  ports: Ports,
): Promise<Result<ProviderChoice>> | Result<ProviderChoice> => {
  switch (provider) {
    case 'anthropic':
      return chooseAnthropic(environment, reason)
    case 'openai':
      return chooseOpenai(environment, reason)
    case 'ollama':
      return chooseOllama(environment, reason, ports)
    case 'offline':
      return ok(offline(reason))
  }
}

const chooseAnthropic = (environment: ModelEnvironment, reason: string): Result<ProviderChoice> => {
  const { apiKey, baseUrl = ANTHROPIC_BASE } = environment
  if (apiKey === undefined) {
    return notConfigured(
      'anthropic',
      'LLM_API_KEY is not set; create a key at console.anthropic.com',
    )
  }
  const models = { ...DEFAULT_MODELS.anthropic, ...environment.models }
  return ok({ provider: 'anthropic', apiKey, baseUrl: anthropicBase(baseUrl), models, reason })
}

const chooseOpenai = (environment: ModelEnvironment, reason: string): Result<ProviderChoice> => {
  const { apiKey } = environment
  if (environment.baseUrl === undefined && apiKey === undefined) {
    return notConfigured(
      'openai',
      'LLM_API_KEY is not set; only your own server, set by LLM_BASE_URL, works without one',
    )
  }
  const baseUrl = openaiBase(environment.baseUrl ?? OPENAI_BASE)
  const guessed = baseUrl !== OPENAI_BASE && !namesEveryTier(environment)
  return ok({
    provider: 'openai',
    baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    models: { ...DEFAULT_MODELS.openai, ...environment.models },
    ...(guessed ? { modelsGuessed: true } : {}),
    reason,
  })
}

const chooseOllama = async (
  environment: ModelEnvironment,
  reason: string,
  { fetch }: Ports,
): Promise<Result<ProviderChoice>> => {
  const root = ollamaRoot(environment.baseUrl ?? OLLAMA_ROOT)
  const baseUrl = `${root}/v1`
  if (namesEveryTier(environment)) {
    return ok({ provider: 'ollama', baseUrl, models: environment.models, reason })
  }
  const found = await listOllamaModels(root, fetch)
  if (!found.ok) return found
  const [first] = found.value
  if (first === undefined) {
    return notConfigured(
      'ollama',
      `${root} has no model; fetch one, for example: ollama pull qwen3`,
    )
  }
  const models = { ...sameForAll(first), ...environment.models }
  return ok({ provider: 'ollama', baseUrl, models, reason })
}

const offline = (reason: string): ProviderChoice => ({
  provider: 'offline',
  models: sameForAll(OFFLINE_MODEL),
  reason,
})

const sameForAll = (model: string): Record<ModelTier, string> => ({
  fast: model,
  standard: model,
  deep: model,
})

const namesEveryTier = (
  environment: ModelEnvironment,
): environment is ModelEnvironment & { models: Record<ModelTier, string> } =>
  MODEL_TIERS.every((tier) => environment.models[tier] !== undefined)

const isAnthropic = (baseUrl: string): boolean => new URL(baseUrl).hostname === 'api.anthropic.com'

const notConfigured = (provider: string, reason: string) =>
  fail(new StewardError('not_configured', { subject: `the model provider ${provider}`, reason }))
