import type { Fetch } from '@steward/contract'
import { z } from 'zod'
import type { ProviderChoice } from './choose-provider.ts'
import { getJson } from './get-json.ts'

/** A model that a provider offers, with what the provider says about it. */
export interface ServedModel {
  id: string
  displayName?: string
  createdMs?: number
  maxInputTokens?: number
  maxTokens?: number
}

const VERSION = '2023-06-01'
const MOST = 1000

const anthropicList = z.object({
  data: z.array(
    z.object({
      id: z.string().min(1),
      display_name: z.string().optional(),
      created_at: z.string().optional(),
      max_input_tokens: z.number().nullish(),
      max_tokens: z.number().nullish(),
    }),
  ),
})
const openaiList = z.object({
  data: z.array(z.object({ id: z.string().min(1), created: z.number().optional() })),
})

/**
 * The models that a provider lists. If it lists none or does not answer, those that the settings
 * name, which agents can use anyway.
 */
export const listServedModels = async (
  choice: ProviderChoice,
  fetch: Fetch,
): Promise<readonly ServedModel[]> => {
  const listed = await (choice.provider === 'anthropic' ? askAnthropic : askOpenai)(choice, fetch)
  return listed.length > 0
    ? listed
    : [...new Set(Object.values(choice.models))].map((id) => ({ id }))
}

const askAnthropic = async (
  { baseUrl, apiKey }: ProviderChoice,
  fetch: Fetch,
): Promise<ServedModel[]> => {
  const headers = { 'anthropic-version': VERSION, 'x-api-key': apiKey ?? '' }
  const answer = await getJson(`${baseUrl}/models?limit=${MOST}`, anthropicList, fetch, headers)
  if (!answer.ok) return []
  return answer.value.data.map(({ id, display_name, created_at, ...sizes }) => {
    const createdMs = Date.parse(created_at ?? '')
    return {
      id,
      ...(display_name === undefined ? {} : { displayName: display_name }),
      ...(Number.isNaN(createdMs) ? {} : { createdMs }),
      ...(sizes.max_input_tokens ? { maxInputTokens: sizes.max_input_tokens } : {}),
      ...(sizes.max_tokens ? { maxTokens: sizes.max_tokens } : {}),
    }
  })
}

const askOpenai = async (
  { baseUrl, apiKey }: ProviderChoice,
  fetch: Fetch,
): Promise<ServedModel[]> => {
  if (baseUrl === undefined) return []
  const headers: Record<string, string> =
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const answer = await getJson(`${baseUrl}/models`, openaiList, fetch, headers)
  if (!answer.ok) return []
  return answer.value.data.map(({ id, created }) => ({
    id,
    ...(created === undefined ? {} : { createdMs: created * 1000 }),
  }))
}
