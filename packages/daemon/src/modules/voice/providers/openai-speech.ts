import type { AudioPlayer } from '../players/audio-player.ts'
import type { VoicePorts } from '../ports.ts'
import type { SpeechService } from './remote-speech.ts'

const PUBLIC_BASE = 'https://api.openai.com/v1'
/** Voice ids of another service are not valid here. */
const FOREIGN_VOICE_ID = /^[A-Za-z0-9]{20}$/

export interface OpenAiSpeechPorts extends Pick<VoicePorts, 'settings' | 'environment'> {
  player: Pick<AudioPlayer, 'nameFor'>
}

/** Any server with OpenAI's `POST {base}/audio/speech`, including a local one. */
export const createOpenAiSpeech = ({
  settings,
  environment,
  player,
}: OpenAiSpeechPorts): SpeechService => {
  const key = () => environment().SPEECH_API_KEY?.trim() ?? ''
  const format = () => (player.nameFor('mp3') === undefined ? 'wav' : 'mp3')
  return {
    name: 'openai',
    check: () => {
      if (settings().voice.openai.baseUrl !== undefined) {
        return { available: true, reason: 'voice.openai.baseUrl is set' }
      }
      return key() === ''
        ? { available: false, reason: 'neither voice.openai.baseUrl nor SPEECH_API_KEY is set' }
        : { available: true, reason: 'SPEECH_API_KEY is set' }
    },
    format,
    request: ({ text, voice }) => {
      const { baseUrl = PUBLIC_BASE, model, voice: configured } = settings().voice.openai
      const given = voice.id === undefined || FOREIGN_VOICE_ID.test(voice.id) ? undefined : voice.id
      const voiceId = voice.openai ?? given ?? configured
      const { speed } = voice.settings
      return {
        service: 'the speech API',
        voiceId,
        url: `${baseUrl.replace(/\/+$/, '')}/audio/speech`,
        headers: {
          accept: format() === 'mp3' ? 'audio/mpeg' : 'audio/wav',
          ...(key() === '' ? {} : { authorization: `Bearer ${key()}` }),
        },
        body: {
          model,
          input: text,
          voice: voiceId,
          response_format: format(),
          ...(speed === undefined ? {} : { speed }),
        },
      }
    },
  }
}
