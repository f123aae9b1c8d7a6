import { type Fetch, StewardError } from '@steward/contract'
import type { ProviderChoice } from '../providers/choose-provider.ts'
import { listModels } from '../providers/list-models.ts'
import { findVendorFailure } from './vendor-failure.ts'

const NAMED = 8

/**
 * When a self-hosted server did not know a model that we guessed: the only model it serves. If it
 * serves several, the error lists them.
 */
export const findServedModel = async (
  error: unknown,
  model: string,
  { provider, baseUrl, apiKey, modelsGuessed }: ProviderChoice,
  fetch: Fetch,
): Promise<string | undefined> => {
  if (!modelsGuessed || provider !== 'openai' || baseUrl === undefined) return undefined
  if (findVendorFailure(error)?.status !== 404) return undefined
  const served = await listModels(apiKey === undefined ? { baseUrl } : { baseUrl, apiKey }, fetch)
  const [only, second] = served.filter((name) => name !== model)
  if (second === undefined) return only
  const names = served.slice(0, NAMED).join(', ')
  throw new StewardError(
    'not_configured',
    { subject: `the model ${model}`, reason: `the server has ${names}; set LLM_MODEL_FAST to one` },
    error,
  )
}
