import type { Fetch } from '@steward/contract'
import { z } from 'zod'
import { getJson } from './get-json.ts'

const modelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) })

/** The models that an OpenAI-compatible server lists; empty if it does not support listing. */
export const listModels = async (
  server: { baseUrl: string; apiKey?: string },
  fetch: Fetch,
): Promise<string[]> => {
  const headers: Record<string, string> =
    server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` }
  const answer = await getJson(`${server.baseUrl}/models`, modelList, fetch, headers)
  return answer.ok ? answer.value.data.map(({ id }) => id) : []
}
