import type { ModelProvider, ModelTier } from '@steward/contract'

type HostedProvider = Exclude<ModelProvider, 'ollama' | 'offline'>

/** The default model of each tier without `LLM_MODEL_*`. As of November 2026. */
export const DEFAULT_MODELS: Record<HostedProvider, Record<ModelTier, string>> = {
  anthropic: {
    fast: 'claude-haiku-5-5',
    standard: 'claude-sonnet-5-5',
    deep: 'claude-opus-5-5',
  },
  openai: {
    fast: 'gpt-6-luna',
    standard: 'gpt-6.1-terra',
    deep: 'gpt-6.1-sol',
  },
}

/** The default maximum of answer tokens. */
export const DEFAULT_MAX_TOKENS: Record<ModelTier, number> = {
  fast: 2048,
  standard: 4096,
  deep: 8192,
}

/** How a model's API differs from plain temperature-0 generation. */
export interface ModelTraits {
  /** Whether a request may set a temperature. */
  temperature: boolean
  /**
   * Tokens that a model may think with before it answers; they count against the request's maximum.
   */
  thinkingTokens: number
  /** Anthropic's thinking mode to request. */
  thinking?: 'disabled' | 'between_tools'
  /** OpenAI's effort to request. Their models accept a temperature only at `none`. */
  reasoningEffort?: 'none' | 'low'
  /** OpenAI's reasoning models reject `max_tokens`. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
}

const PLAIN: ModelTraits = { temperature: true, thinkingTokens: 0, maxTokensField: 'max_tokens' }
const SILENT: ModelTraits = { ...PLAIN, temperature: false }
const EFFORTLESS: ModelTraits = {
  ...PLAIN,
  reasoningEffort: 'none',
  maxTokensField: 'max_completion_tokens',
}
const REASONING: ModelTraits = {
  ...SILENT,
  thinkingTokens: 8192,
  maxTokensField: 'max_completion_tokens',
}

/** The first match wins, so narrower patterns come first. */
const TRAITS: readonly { model: RegExp; traits: ModelTraits }[] = [
  { model: /^claude-haiku-5-5/, traits: { ...SILENT, thinking: 'disabled' } },
  { model: /^claude-sonnet-5-5/, traits: { ...SILENT, thinking: 'between_tools' } },
  { model: /^claude-(sonnet-5|opus-4-[78])/, traits: { ...SILENT, thinking: 'disabled' } },
  { model: /^claude-(opus|fable)-5/, traits: { ...SILENT, thinkingTokens: 8192 } },
  { model: /^claude-/, traits: PLAIN },
  { model: /^gpt-6-luna|^gpt-5\.[46]-(luna|nano|mini)/, traits: EFFORTLESS },
  {
    model: /^gpt-6\.1-terra|^gpt-5\.6-terra/,
    traits: { ...REASONING, reasoningEffort: 'low', thinkingTokens: 4096 },
  },
  { model: /^gpt-[56]|^o\d/, traits: REASONING },
]

export const traitsOf = (model: string): ModelTraits =>
  TRAITS.find((row) => row.model.test(model))?.traits ?? PLAIN
