import type { AgentModel } from '@steward/contract'
import { z } from 'zod'

/** Asks one model, wherever it runs. */
export interface Model {
  /** Who answers, for messages: `anthropic`, `openai`, `ollama`, `offline`. */
  readonly provider: string
  /** It runs on one's own machine: its tokens cost nothing. */
  readonly free: boolean
  /**
   * One request without retries: those are the brain's, so that they show as events and survive a
   * restart. Rejects with a `ModelFailure`, or with the signal's reason.
   */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelReply>
}

export interface AskOptions {
  signal: AbortSignal
  /** Hears the answer while it is written; what it said is a prefix of the reply's own text. */
  onDelta: (delta: ModelDelta) => void
}

export type ModelDelta =
  /** `index` counts the answer's texts from 0. */
  { type: 'text'; index: number; text: string } | { type: 'thinking' }

export interface ModelRequest {
  model: AgentModel
  system: string | null
  tools: readonly ModelTool[]
  messages: readonly ModelMessage[]
}

export interface ModelTool {
  name: string
  description: string
  inputSchema: Readonly<Record<string, unknown>>
}

export interface ModelMessage {
  role: 'user' | 'assistant' | 'system'
  content: readonly ModelBlock[]
}

/**
 * A block of a message in the words of the Messages API. What a model sent is kept as it was, also
 * kinds that are not known here: thinking has to go back unchanged.
 */
export const modelBlock = z.looseObject({ type: z.string() })
export type ModelBlock = z.infer<typeof modelBlock>

export const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })
export const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
})

export const MODEL_STOPS = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const
export type ModelStop = (typeof MODEL_STOPS)[number]

export interface ModelReply {
  content: readonly ModelBlock[]
  stop: ModelStop
  /** Why it refused, when it did. */
  refusal?: { category: string | null; explanation: string | null }
  usage: ModelTokens
}

export interface ModelTokens {
  /** Without what came from the cache or went into it. */
  input: number
  output: number
  cacheRead: number
  cacheWrite5m: number
  cacheWrite1h: number
}
