import { type Fetch, fail, ok, type Result, StewardError } from '@steward/contract'
import { z } from 'zod'
import { getJson } from './get-json.ts'

export const OLLAMA_ROOT = 'http://127.0.0.1:11434'

const tags = z.object({ models: z.array(z.object({ name: z.string().min(1) })) })

/** The models of an Ollama, without embedding models. */
export const listOllamaModels = async (root: string, fetch: Fetch): Promise<Result<string[]>> => {
  const answer = await getJson(`${root}/api/tags`, tags, fetch)
  if (!answer.ok) {
    return fail(
      new StewardError('not_configured', {
        subject: 'the model provider ollama',
        reason: `no Ollama responds at ${root} (${answer.reason}); start it with: ollama serve`,
      }),
    )
  }
  return ok(answer.value.models.map(({ name }) => name).filter((name) => !/embed/i.test(name)))
}
