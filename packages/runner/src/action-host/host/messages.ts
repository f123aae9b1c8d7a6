import type { ActionContextV2, JsonObject, LogLevel } from '@steward/contract'
import type { SentError } from './sent-errors.ts'

/** Messages from the runner to a host. */
export type ToHost = StartCall | AnswerToHost

/** One call of `execute`. A host works them off one at a time. */
export interface StartCall {
  type: 'start'
  call: number
  file: string
  input: JsonObject
  context: SentContext
  maxOutputBytes: number
  /** Of text that is logged or printed. */
  maxToldBytes: number
}

interface AnswerToHost {
  type: 'answer'
  id: number
  value?: unknown
  error?: SentError
}

/** The part of an action's context that is data. */
export interface SentContext extends Pick<ActionContextV2, 'env' | 'trace' | 'pipeline'> {
  capabilities: string[]
  secrets: Record<string, string>
  /** The runner's clock, in milliseconds since the epoch. */
  nowMs: number
}

/** Messages from a host, which the runner validates: see `read-host-message.ts`. */
export type FromHost =
  | { type: 'ready' }
  | { type: 'loaded'; call: number }
  | { type: 'log'; call: number; level: LogLevel; text: string }
  | { type: 'use'; call: number; id: number; capability: string; args: unknown }
  | { type: 'cancel'; call: number; id: number }
  /** `ms` is how long `execute` took. */
  | { type: 'done'; call: number; ms: number; output?: unknown }
  | { type: 'failed'; call: number; at: 'load' | 'execute' | 'output'; error: SentError }
  /** `call` is 0 between two calls. */
  | { type: 'crashed'; call: number; reason: string; error: SentError }

export interface SentRequest {
  url: string
  method: string
  headers: Array<[string, string]>
  /** Base64. */
  body?: string
  redirect: RequestRedirect
  timeoutMs?: number
}

export interface SentResponse {
  url: string
  status: number
  statusText: string
  redirected: boolean
  headers: Array<[string, string]>
  /** Read in parts by `readBody`, under the id of the request. */
  hasBody: boolean
}
