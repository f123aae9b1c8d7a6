import type { AgentModel } from '@steward/contract'
import type { CallTokens } from '@steward/models'
import { z } from 'zod'

/** Asks one model, wherever it runs. */
export interface Model {
  /** The provider's name for messages: `anthropic`, `openai`, `ollama`, `offline`. */
  readonly provider: string
  /** Identifies the account of the vendor, because limits apply to accounts; never the key itself. */
  readonly account: string
  /** It runs on the operator's own machine, so its tokens cost nothing. */
  readonly free: boolean
  /**
   * One request without retries: the brain retries, so that retries appear as events and survive a
   * restart. Rejects with a `ModelFailure`, or with the signal's reason.
   */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelReply>
}

export interface AskOptions {
  signal: AbortSignal
  /** Receives the answer while it is written; the deltas are a prefix of the final text. */
  onDelta: (delta: ModelDelta) => void
  /** Receives the tokens that the vendor reported so far; they are running totals. */
  onUsage?: (tokens: CallTokens) => void
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
 * A block of a message in the format of the Messages API. A model's blocks are stored unchanged,
 * including unknown kinds, because thinking must be sent back as it was.
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
  /** Why the model refused, if it did. */
  refusal?: { category: string | null; explanation: string | null }
  usage: CallTokens
}
