import type { VoicePorts } from '../ports.ts'
import type { SpeechService } from './remote-speech.ts'

/** A voice that every account has, used if none is set. */
const DEFAULT_VOICE = '21m00Tcm4TlvDq8ikWAM'

/** The text-to-speech API of ElevenLabs. */
export const createElevenLabs = ({
  settings,
  environment,
}: Pick<VoicePorts, 'settings' | 'environment'>): SpeechService => {
  const key = () => environment().ELEVENLABS_API_KEY?.trim() ?? ''
  return {
    name: 'elevenlabs',
    check: () =>
      key() === ''
        ? { available: false, reason: 'ELEVENLABS_API_KEY is not set' }
        : { available: true, reason: 'ELEVENLABS_API_KEY is set' },
    format: () => 'mp3',
    request: ({ text, voice }) => {
      const { baseUrl, model } = settings().voice.elevenlabs
      const voiceId = voice.id ?? DEFAULT_VOICE
      return {
        service: 'ElevenLabs',
        voiceId,
        url: `${baseUrl.replace(/\/+$/, '')}/v1/text-to-speech/${encodeURIComponent(voiceId)}`,
        headers: { 'xi-api-key': key(), accept: 'audio/mpeg' },
        body: { text, model_id: model, voice_settings: voice.settings },
      }
    },
  }
}
