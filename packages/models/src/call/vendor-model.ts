import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { Fetch } from '@steward/contract'
import type { ProviderChoice } from '../providers/choose-provider.ts'
import type { ModelTraits } from '../providers/model-table.ts'
import { redactKey } from './redact-key.ts'
import { failingFetch } from './vendor-failure.ts'

/** The vendor library's own model: one request in, one answer out. */
export type VendorModel = ReturnType<AnthropicProvider>
export type OpenModel = (
  model: string,
  maxTokensField: ModelTraits['maxTokensField'],
) => Promise<VendorModel>

/** The libraries take 100 ms to load, so only a call that needs one loads it. */
export const vendorOf = (
  choice: ProviderChoice,
  plainFetch: Fetch,
  redact?: (text: string) => string,
): OpenModel => {
  const { provider, apiKey = '', baseUrl = '' } = choice
  const fetch = failingFetch(plainFetch, redactKey(choice.apiKey, redact))
  if (provider === 'anthropic') {
    return async (model) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey, baseURL: baseUrl, fetch })(model)
    }
  }
  return async (model, maxTokensField) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return createOpenAICompatible({
      name: 'openai',
      apiKey,
      baseURL: baseUrl,
      fetch,
      supportsStructuredOutputs: true,
      transformRequestBody: ({ max_tokens, ...body }) => ({
        ...body,
        [maxTokensField]: max_tokens,
      }),
    })(model)
  }
}
