import {
  isJsonObject,
  type NotifyRequest,
  type Settings,
  type VoiceSettings,
} from '@steward/contract'
import type { AssistantCharacter } from '../../ports.ts'

/** Where each setting begins if none is configured, and its limits. */
const RANGES = {
  stability: { base: 0.5, least: 0, most: 1 },
  style: { base: 0, least: 0, most: 1 },
  speed: { base: 1, least: 0.7, most: 1.2 },
} as const

/**
 * A request in the words and the voice of the assistant: its traits shift the settings of its own
 * voice, or of the one that the request names.
 */
export const inCharacter = async (
  request: NotifyRequest,
  character: AssistantCharacter,
  { daidentity }: Pick<Settings, 'daidentity'>,
): Promise<NotifyRequest> => {
  const { message, change } = await character.say(request.message)
  const before = request.voice_settings ?? settingsOfMain(daidentity)
  const changed = Object.entries(RANGES).flatMap(([name, { base, least, most }]) => {
    const by = change[name]
    if (typeof by !== 'number') return []
    const from = before?.[name]
    const value = (typeof from === 'number' ? from : base) + by
    return [[name, Math.round(Math.min(most, Math.max(least, value)) * 100) / 100] as const]
  })
  if (changed.length === 0) return { ...request, message }
  const voice_settings = { similarity_boost: 0.75, ...before, ...Object.fromEntries(changed) }
  return { ...request, message, voice_settings }
}

const settingsOfMain = ({ voices = {} }: Settings['daidentity']): VoiceSettings | undefined => {
  const { main } = voices
  if (main === undefined) return undefined
  const group = main.voice_settings ?? main.voiceSettings
  const all: Record<string, unknown> = isJsonObject(group) ? { ...main, ...group } : main
  const numbers = [...Object.keys(RANGES), 'similarity_boost'].flatMap((name) =>
    typeof all[name] === 'number' ? [[name, all[name]] as const] : [],
  )
  return numbers.length === 0 ? undefined : Object.fromEntries(numbers)
}
