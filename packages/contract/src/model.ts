import { z } from 'zod'

export const MODEL_TIERS = ['fast', 'standard', 'deep'] as const
export type ModelTier = (typeof MODEL_TIERS)[number]

export const MODEL_PROVIDERS = ['anthropic', 'openai', 'ollama', 'offline'] as const
export type ModelProvider = (typeof MODEL_PROVIDERS)[number]

/** The model name in records when no real model was called. */
export const OFFLINE_MODEL = 'offline-extractive'

export const usage = z.object({ input: z.int().nonnegative(), output: z.int().nonnegative() })
export type Usage = z.infer<typeof usage>

export interface LlmOptions {
  /** Defaults to `fast`. `smart` is a deprecated alias of `deep`. */
  tier?: ModelTier | 'smart'
  system?: string
  /** A JSON Schema that the answer's `json` will match. */
  schema?: Record<string, unknown>
  /** The answer must be a JSON object of any shape. */
  json?: boolean
  maxTokens?: number
}

/** The answer of a model call. `cost` is in USD, null if the price table lacks the model. */
export const llmAnswer = z.object({
  text: z.string(),
  json: z.unknown().optional(),
  usage,
  cost: z.number().nonnegative().nullable(),
  model: z.string(),
  provider: z.enum(MODEL_PROVIDERS),
})
export type LlmAnswer = z.infer<typeof llmAnswer>

export type Llm = (prompt: string, options?: LlmOptions) => Promise<LlmAnswer>
