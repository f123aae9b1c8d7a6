import type { VoiceIds } from '@steward/agents'
import type { Settings } from '@steward/contract'

/** Provider ids by voice name, as `daidentity.voices` of the settings has them. */
export const voiceIdsOf = ({ daidentity }: Settings): VoiceIds =>
  Object.fromEntries(
    Object.entries(daidentity.voices ?? {}).flatMap(([name, entry]) => {
      const id = [entry.voiceId, entry.voice_id, entry.VOICE_ID].find(Boolean)
      return id === undefined ? [] : [[name, id]]
    }),
  )
