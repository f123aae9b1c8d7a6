import { isJsonObject, type VoiceSettings } from '@steward/contract'
import type { VoiceSettingsOf } from '../ports.ts'
import type { Manner } from '../speech-line.ts'

/** The voice parameters of a line. */
export interface ResolvedVoice {
  /**
   * The id for providers with their own voices; undefined if neither the caller nor the settings
   * name one.
   */
  id: string | undefined
  settings: VoiceSettings
  /** 0 to 1. */
  volume: number
  /** The voice name for the system's engine, OpenAI-compatible speech or the browser. */
  system: string | undefined
  openai: string | undefined
  browser: string | undefined
}

/** Used if none are set. */
const FALLBACK_SETTINGS: VoiceSettings = { stability: 0.5, similarity_boost: 0.75 }

/**
 * The voice of a line. Its id: the caller's, else the agent's, else the identity's (`main`). Its
 * settings: the caller's, else those of the entry with that id, else main's, else a fallback.
 */
export const resolveVoice = (
  manner: Manner,
  { daidentity, voice }: Pick<VoiceSettingsOf, 'daidentity' | 'voice'>,
): ResolvedVoice => {
  const entries = readEntries(daidentity)
  const main = entries.find(({ name }) => name === 'main')
  const asked = manner.voice_id || manner.voice_name || manner.agent
  const named = entries.find(({ name }) => isSameName(name, asked))
  const isGivenId = Boolean(manner.voice_id || manner.voice_name)
  // A name without an id is a manner of speaking, not a provider's id.
  const given = named === undefined && isGivenId ? asked : undefined
  const id = named?.id ?? given ?? main?.id
  const entry = named ?? entries.find((each) => each.id !== undefined && each.id === id)
  const settings = manner.voice_settings ?? entry?.settings ?? main?.settings ?? FALLBACK_SETTINGS
  const volume = (manner.volume ?? entry?.volume ?? main?.volume ?? 1) * voice.volume
  return {
    id,
    settings,
    volume,
    system: entry?.systemVoice ?? main?.systemVoice,
    openai: entry?.openaiVoice ?? main?.openaiVoice,
    browser: entry?.browserVoice ?? main?.browserVoice,
  }
}

/** Names of configured voices, for people. */
export const configuredVoices = ({ daidentity }: Pick<VoiceSettingsOf, 'daidentity'>): string[] =>
  readEntries(daidentity).map(({ name }) => name)

/** The identity's own voice. */
export const defaultVoiceId = ({
  daidentity,
}: Pick<VoiceSettingsOf, 'daidentity'>): string | undefined =>
  readEntries(daidentity).find(({ name }) => name === 'main')?.id

interface Entry {
  name: string
  id: string | undefined
  settings: VoiceSettings | undefined
  volume: number | undefined
  systemVoice: string | undefined
  openaiVoice: string | undefined
  browserVoice: string | undefined
}

const readEntries = ({ voices = {} }: VoiceSettingsOf['daidentity']): Entry[] =>
  Object.entries(voices).map(([name, entry]) => ({
    name,
    id: [entry.voiceId, entry.voice_id, entry.VOICE_ID].find(Boolean),
    settings: readSettings(entry),
    volume: numberIn(entry.volume, 0, 1),
    systemVoice: textIn(entry.systemVoice),
    openaiVoice: textIn(entry.openaiVoice),
    browserVoice: textIn(entry.browserVoice),
  }))

/** Entries of older set-ups use camel case or a nested group. */
const readSettings = (entry: Record<string, unknown>): VoiceSettings | undefined => {
  const group = entry.voice_settings ?? entry.voiceSettings
  const from = isJsonObject(group) ? { ...entry, ...group } : entry
  const boost = from.use_speaker_boost ?? from.useSpeakerBoost
  const values: VoiceSettings = {
    stability: numberIn(from.stability, 0, 1),
    similarity_boost: numberIn(from.similarity_boost ?? from.similarityBoost, 0, 1),
    style: numberIn(from.style, 0, 1),
    speed: numberIn(from.speed, 0.5, 2),
    use_speaker_boost: typeof boost === 'boolean' ? boost : undefined,
  }
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

const isSameName = (name: string, asked: string | undefined): boolean =>
  asked !== undefined && name.toLowerCase() === asked.toLowerCase()

const numberIn = (value: unknown, least: number, most: number): number | undefined =>
  typeof value === 'number' && value >= least && value <= most ? value : undefined

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
