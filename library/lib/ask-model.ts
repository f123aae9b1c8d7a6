import {
  isJsonObject,
  isRefusal,
  type JsonObject,
  type Llm,
  type LlmOptions,
  StewardError,
} from '@steward/contract'

/** A model's structured answer, and the model's name. */
export interface ModelAnswer {
  json: JsonObject
  model: string
}

/**
 * Requests an object of the given schema; a refusal, in prose or in a field, is a separate error.
 */
export const askModel = async (
  llm: Llm,
  prompt: string,
  options: LlmOptions & { schema: Record<string, unknown> },
): Promise<ModelAnswer> => {
  const { json, text, model } = await llm(prompt, options)
  const spoken = isJsonObject(json)
    ? Object.values(json).filter((v) => typeof v === 'string')
    : [text]
  const refused = spoken.find(isRefusal)
  if (refused !== undefined) {
    throw new StewardError('model_refused', { model, reason: refused.trim().slice(0, 160) })
  }
  if (!isJsonObject(json)) throw malformed(model, 'no JSON object came back')
  return { json, model }
}

/** The error for an answer that does not match. */
export const malformed = (model: string, reason: string): StewardError =>
  new StewardError('model_malformed', { model, reason })
