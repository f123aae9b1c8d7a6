import { reasonOf, type SpeechProviderName } from '@steward/contract'
import { type AudioPlayer, explainMissing } from '../players/audio-player.ts'
import type { AudioFormat } from '../players/players.ts'
import type { VoicePorts } from '../ports.ts'
import type { AudioCache } from './audio-cache.ts'
import { type Availability, failed, type SpeechProvider, type Utterance } from './provider.ts'
import { type AudioRequest, requestAudio } from './request-audio.ts'

export interface RemoteSpeechPorts
  extends Pick<VoicePorts, 'fetch' | 'setTimer' | 'platform' | 'redactor' | 'now'> {
  player: AudioPlayer
  cache: AudioCache
}

/** A text-to-speech service. */
export interface SpeechService {
  name: SpeechProviderName
  /** Whether it is configured. */
  check: () => Availability
  /** The format of its answers. */
  format: () => AudioFormat
  /** The request for a line; the sound depends on its address and body. */
  request: (utterance: Utterance) => AudioRequest & { voiceId: string }
}

/** Combines a service, the cache and a player into a provider. */
export const createRemoteSpeech = (
  service: SpeechService,
  ports: RemoteSpeechPorts,
): SpeechProvider => {
  const { player, cache, platform } = ports
  return {
    name: service.name,
    check: () => {
      const setUp = service.check()
      if (!setUp.available) return setUp
      const format = service.format()
      if (player.nameFor(format) !== undefined) return setUp
      return { available: false, reason: explainMissing(format, platform) }
    },
    speak: async (utterance, signal) => {
      const { voiceId, ...request } = service.request(utterance)
      const { volume } = utterance.voice
      const key = [service.name, request.url, request.body]
      try {
        const known = await cache.find(key)
        if (known !== undefined) {
          await player.play({ ...known, volume }, signal)
          return { ok: true, voiceId }
        }
        const answer = await requestAudio(request, ports, signal)
        if (!answer.ok) return answer
        const { format, durationMs } = answer.sound
        const path = await cache.keep(key, answer.bytes, format)
        await player.play({ path, format, durationMs, volume }, signal)
        return { ok: true, voiceId }
      } catch (thrown) {
        signal.throwIfAborted()
        return failed(reasonOf(thrown))
      }
    },
  }
}
