import { type LlmAnswer, OFFLINE_MODEL, StewardError } from '@steward/contract'
import { checkCall } from '../call/check-call.ts'
import { createJsonReader } from '../call/read-json.ts'
import type { CallOptions, ModelClient } from '../model-client.ts'
import { estimateTokens } from '../prices/tokens.ts'
import { fillSchema } from './fill-schema.ts'
import { spokenCount } from './fill-text.ts'
import { type Material, readMaterial } from './material.ts'
import { pickSentences, rankSentences } from './rank-sentences.ts'

const SUMMARY_SENTENCES = 3

/** The fields of a JSON object without a schema. */
const ANY_OBJECT = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    key_points: { type: 'array', items: { type: 'string' } },
    labels: { type: 'array', items: { type: 'string' } },
  },
}

/** The fallback model: it quotes and counts, and invents nothing. Deterministic. */
export const createOfflineClient = (): ModelClient => ({
  provider: 'offline',
  call: async (prompt, options = {}) => {
    checkCall(prompt, options)
    options.signal?.throwIfAborted()
    const material = readMaterial(prompt)
    const json = options.schema !== undefined || options.json === true
    return json
      ? answerJson(prompt, material, options)
      : answer(prompt, summarize(material, options))
  },
  estimate: () => ({ model: OFFLINE_MODEL, maxCost: 0 }),
})

const answerJson = (prompt: string, material: Material, { schema }: CallOptions): LlmAnswer => {
  const text = JSON.stringify(fillSchema(schema ?? ANY_OBJECT, material))
  const read = createJsonReader(schema)(text)
  if (read.ok) return { ...answer(prompt, text), json: read.value }
  const { sentences } = material
  const words = sentences.reduce((sum, sentence) => sum + sentence.split(/\s+/).length, 0)
  throw new StewardError('model_malformed', {
    model: OFFLINE_MODEL,
    reason: `${read.reason}. It only quotes the text, which has ${sentences.length} sentences and ${words} words; set LLM_API_KEY to use a model that writes`,
  })
}

const summarize = (material: Material, { maxTokens }: CallOptions): string => {
  const ranked = rankSentences(material)
  const wanted = spokenCount(material.request) ?? SUMMARY_SENTENCES
  for (let count = wanted; count > 1; count--) {
    const text = pickSentences(ranked, count).join(' ')
    if (maxTokens === undefined || estimateTokens(text) <= maxTokens) return text
  }
  const [best] = pickSentences(ranked, 1)
  if (best !== undefined) return best
  throw new StewardError('model_malformed', {
    model: OFFLINE_MODEL,
    reason: 'the prompt has no sentence to quote',
  })
}

const answer = (prompt: string, text: string): LlmAnswer => ({
  text,
  usage: { input: estimateTokens(prompt), output: estimateTokens(text) },
  cost: 0,
  model: OFFLINE_MODEL,
  provider: 'offline',
})
