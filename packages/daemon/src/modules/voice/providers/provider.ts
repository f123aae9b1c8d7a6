import type { SpeechProviderName } from '@steward/contract'
import type { ResolvedVoice } from '../voices/resolve-voice.ts'

/** A line as passed to a provider. */
export interface Utterance {
  id: string
  /** With pronunciations applied. */
  text: string
  voice: ResolvedVoice
}

/** Why a provider did not speak. */
export interface ProviderFault {
  /**
   * `refused`: key or account, where waiting does not help. `quota`: the account is used up.
   * `busy`: temporarily overloaded. `failed`: anything else.
   */
  kind: 'refused' | 'quota' | 'busy' | 'failed'
  message: string
  statusCode?: number
  /** How long the provider asked not to be called. */
  retryAfterMs?: number
}

export type Attempt = { ok: true; voiceId?: string } | { ok: false; fault: ProviderFault }

/** Whether a provider could speak now, with the reason. */
export interface Availability {
  available: boolean
  reason: string
}

/** One speech provider. Errors are part of its answer; it only throws on abort. */
export interface SpeechProvider {
  name: SpeechProviderName
  check: () => Availability
  /** Resolves when the line was played to its end. */
  speak: (utterance: Utterance, signal: AbortSignal) => Promise<Attempt>
}

export const failed = (message: string): Attempt => ({
  ok: false,
  fault: { kind: 'failed', message },
})
