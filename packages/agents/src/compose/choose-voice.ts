import type { Prosody } from '@steward/contract'
import type { TraitChoice } from './parse-traits.ts'
import { readTraitData } from './trait-data.ts'

export interface ChosenVoice {
  voice: string
  /**
   * The provider's voice from the settings, otherwise the voice's own name, which a provider maps
   * as it can.
   */
  voice_id: string
  voice_reason: string
  voice_settings: Prosody
}

/** Provider ids by voice name: `daidentity.voices` of the settings. */
export type VoiceIds = Readonly<Record<string, string>>

/**
 * The voice of the largest combination whose traits are all present; otherwise of the most
 * characteristic single trait.
 */
export const chooseVoice = (choice: TraitChoice, voiceIds: VoiceIds = {}): ChosenVoice => {
  const { voices } = readTraitData()
  const names = new Set([...choice.expertise, ...choice.personality, ...choice.approach])
  const fitting = voices.mappings.filter(({ traits }) => traits.every((trait) => names.has(trait)))
  const [best] = fitting.toSorted((a, b) => b.traits.length - a.traits.length)
  if (best !== undefined) {
    return finish(best.voice, `${best.traits.join(' + ')}: ${best.reason}`, voiceIds)
  }
  // Personality matters most for a voice, then approach, then expertise.
  const [telling] = [...choice.personality, ...choice.approach, ...choice.expertise]
  const voice = telling === undefined ? undefined : voices.fallbacks[telling]
  if (telling === undefined || voice === undefined) {
    return finish(voices.default, 'no trait asks for another', voiceIds)
  }
  return finish(voice, `${telling} on its own`, voiceIds)
}

const finish = (voice: string, reason: string, voiceIds: VoiceIds): ChosenVoice => {
  const entry = readTraitData().voices.voices[voice]
  return {
    voice,
    voice_id: Object.hasOwn(voiceIds, voice) ? (voiceIds[voice] ?? voice) : voice,
    voice_reason: `${reason} (${entry?.description ?? ''})`,
    voice_settings: entry?.prosody ?? DEFAULT_PROSODY,
  }
}

const DEFAULT_PROSODY: Prosody = {
  stability: 0.5,
  similarity_boost: 0.75,
  style: 0,
  speed: 1,
  use_speaker_boost: true,
}
