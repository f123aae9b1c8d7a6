import {
  type ActionContextV2,
  isJsonObject,
  type JsonObject,
  StewardError,
} from '@steward/contract'
import { answerSchema } from '../../lib/answer-schema.ts'
import { malformed } from '../../lib/ask-model.ts'
import { needCapability } from '../../lib/need-capability.ts'
import { readText } from '../../lib/read-fields.ts'

const ACTION = 'A_ASK_MODEL'
const TIERS = ['fast', 'standard', 'deep'] as const
const MAX_TOKENS = 2000

const SYSTEM = 'You are asked while nobody is there to ask back. Answer briefly and in plain text.'

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const prompt = readText(input, 'prompt')
  if (prompt === '') {
    throw new StewardError('rejected_content', { subject: ACTION, reason: 'the prompt is empty' })
  }
  const wanted = readText(input, 'tier') || 'standard'
  const tier = TIERS.find((each) => each === wanted)
  if (tier === undefined) {
    const reason = `tier is '${wanted}'; it must be ${TIERS.join(', ')}`
    throw new StewardError('invalid_input', { subject: ACTION, reason, field: 'tier' })
  }
  const llm = needCapability(context, ACTION, 'llm')
  const schema = answerSchema(input.schema)
  const options = { system: SYSTEM, tier, maxTokens: MAX_TOKENS }
  const { text, json, model } = await llm(prompt, {
    ...options,
    ...(schema === undefined ? {} : { schema }),
  })
  const answer = text.trim()
  if (answer === '') throw malformed(model, 'it is empty')
  if (schema === undefined) return { answer, model }
  if (!isJsonObject(json)) throw malformed(model, 'it is not a JSON object')
  return { ...json, answer, model }
}
