import { z } from 'zod'

export const MODEL_TIERS = ['fast', 'standard', 'deep'] as const
export type ModelTier = (typeof MODEL_TIERS)[number]

export const MODEL_PROVIDERS = ['anthropic', 'openai', 'ollama', 'offline'] as const
export type ModelProvider = (typeof MODEL_PROVIDERS)[number]

/** The name every record carries when no real model was asked. */
export const OFFLINE_MODEL = 'offline-extractive'

export const usage = z.object({ input: z.int().nonnegative(), output: z.int().nonnegative() })
export type Usage = z.infer<typeof usage>

export interface LlmOptions {
  /** Defaults to `fast`. `smart` is the older word for `deep`. */
  tier?: ModelTier | 'smart'
  system?: string
  /** A JSON Schema; the answer's `json` then fits it. */
  schema?: Record<string, unknown>
  /** Any JSON object will do. */
  json?: boolean
  maxTokens?: number
}

/** What a model call answers. `cost` is USD, null where the price table has no such model. */
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
