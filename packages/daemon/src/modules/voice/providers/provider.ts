import type { SpeechProviderName } from '@steward/contract'
import type { ResolvedVoice } from '../voices/resolve-voice.ts'

/** A line as a provider gets it. */
export interface Utterance {
  id: string
  /** Pronunciations are in it. */
  text: string
  voice: ResolvedVoice
}

/** Why a provider did not speak. */
export interface ProviderFault {
  /**
   * `refused`: the key or the account, nothing that waiting would change. `quota`: the account is used
   * up. `busy`: too much at the moment. `failed`: anything else.
   */
  kind: 'refused' | 'quota' | 'busy' | 'failed'
  message: string
  statusCode?: number
  /** It asked not to be called again before. */
  retryAfterMs?: number
}

export type Attempt = { ok: true; voiceId?: string } | { ok: false; fault: ProviderFault }

/** Whether a provider could speak now, and why or why not. */
export interface Availability {
  available: boolean
  reason: string
}

/** One way to speak. What goes wrong is its answer; only an abort is thrown. */
export interface SpeechProvider {
  name: SpeechProviderName
  check: () => Availability
  /** Resolves when the line was heard to its end. */
  speak: (utterance: Utterance, signal: AbortSignal) => Promise<Attempt>
}

export const failed = (message: string): Attempt => ({
  ok: false,
  fault: { kind: 'failed', message },
})
