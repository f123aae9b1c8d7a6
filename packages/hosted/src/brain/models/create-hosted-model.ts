import { type Fetch, StewardError } from '@steward/contract'
import { createModelClient, type ProviderChoice, type Sleep } from '@steward/models'
import { createAnthropicModel } from './anthropic-model.ts'
import type { Model } from './model.ts'
import { createOfflineModel } from './offline-model.ts'
import { createOpenaiModel } from './openai-model.ts'

export interface HostedModelPorts {
  fetch: Fetch
  sleep: Sleep
  now: () => Date
}

/** The model of the `LLM_*` settings for the brain. Agents choose the model name themselves. */
export const createHostedModel = (choice: ProviderChoice, ports: HostedModelPorts): Model => {
  const { provider, apiKey, baseUrl } = choice
  if (provider === 'offline') return createOfflineModel(createModelClient({ choice, ...ports }))
  if (baseUrl === undefined) throw missing(provider, 'it has no address')
  const shared = { baseUrl, fetch: ports.fetch, now: () => ports.now().getTime() }
  if (provider !== 'anthropic') return createOpenaiModel({ ...shared, provider, apiKey })
  if (apiKey === undefined) throw missing(provider, 'LLM_API_KEY is not set')
  return createAnthropicModel({ ...shared, apiKey })
}

const missing = (provider: string, reason: string): StewardError =>
  new StewardError('not_configured', { subject: `the model provider ${provider}`, reason })
