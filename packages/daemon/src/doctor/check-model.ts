import { type Finding, fine } from '@steward/assistants'
import { reasonOf } from '@steward/contract'
import { chooseProvider, type ProviderChoice, readModelEnvironment } from '@steward/models'

export interface ModelPorts {
  fetch: typeof fetch
  timeout: () => AbortSignal
}

/**
 * The chosen model, why it was chosen, and whether it is reachable; makes no model call, so it is
 * free.
 */
export const checkModel = async (
  environment: Record<string, string | undefined>,
  ports: ModelPorts,
): Promise<Finding> => {
  const read = readModelEnvironment(environment)
  const choice = read.ok ? await chooseProvider(read.value, ports) : read
  if (!choice.ok) {
    const { message, remedy } = choice.error
    return { check: 'model', status: 'fail', message, repair: remedy }
  }
  const { provider, reason, models } = choice.value
  if (provider === 'offline') {
    return {
      check: 'model',
      status: 'ok',
      message: `${models.fast}: ${reason}. It extracts and labels; it does not write.`,
      repair: 'for a real model set LLM_API_KEY, or LLM_BASE_URL, or start Ollama',
    }
  }
  return reach(choice.value, ports)
}

const REJECTED = new Set([401, 403])

const reach = async (choice: ProviderChoice, ports: ModelPorts): Promise<Finding> => {
  const { provider, baseUrl = '', models, reason } = choice
  const about = `${provider} at ${baseUrl} (${reason}); models ${Object.values(models).join(', ')}`
  try {
    const url = `${baseUrl.replace(/\/$/, '')}/models`
    const response = await ports.fetch(url, { headers: keysOf(choice), signal: ports.timeout() })
    await response.body?.cancel()
    if (!REJECTED.has(response.status)) return fine('model', about)
    return {
      check: 'model',
      status: 'fail',
      message: `${about}: it rejects the API key (${response.status})`,
      repair: 'check LLM_API_KEY',
    }
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
    return {
      check: 'model',
      status: 'fail',
      message: `${about}: cannot be reached: ${reasonOf(cause)}`,
      repair: 'check the network and LLM_BASE_URL, or unset them to use the offline model',
    }
  }
}

const keysOf = ({ provider, apiKey }: ProviderChoice): Record<string, string> => {
  if (apiKey === undefined) return {}
  return provider === 'anthropic'
    ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    : { authorization: `Bearer ${apiKey}` }
}
