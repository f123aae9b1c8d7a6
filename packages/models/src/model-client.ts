import type { Fetch, LlmAnswer, LlmOptions, ModelProvider } from '@steward/contract'
import type { Sleep } from './call/retry.ts'
import type { PriceTable } from './prices/price-table.ts'
import type { ProviderChoice } from './providers/choose-provider.ts'

export type CallOptions = LlmOptions & {
  signal?: AbortSignal
  /** Equal for a repetition of the same call, so that a gateway can answer it without a second charge. */
  idempotencyKey?: string
}

/**
 * The maximum cost of a call in USD, including its one repair; null if the model has no known
 * price.
 */
export interface Estimate {
  model: string
  maxCost: number | null
}

export interface ModelClient {
  readonly provider: ModelProvider
  call: (prompt: string, options?: CallOptions) => Promise<LlmAnswer>
  estimate: (prompt: string, options?: LlmOptions) => Estimate
}

export interface ModelClientPorts {
  choice: ProviderChoice
  fetch: Fetch
  sleep: Sleep
  now: () => Date
  /**
   * Masks secrets in a vendor's answer before it is cut: half a secret would not be recognised.
   * The key is always masked.
   */
  redact?: (text: string) => string
  /** Prices that override the built-in table. */
  prices?: PriceTable
}
