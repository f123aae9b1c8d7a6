import { type ActionContextV2, type JsonObject, StewardError } from '@steward/contract'
import { needCapability } from '../../lib/need-capability.ts'
import { readText } from '../../lib/read-fields.ts'
import { parseWebAddress } from '../../lib/web-address.ts'
import { audioFormat } from './audio-format.ts'
import { downloadAudio } from './download-audio.ts'
import type { Recording } from './recording.ts'
import { transcribeByServer } from './transcribe-by-server.ts'
import { transcribeByWhisper } from './transcribe-by-whisper.ts'

const ACTION = 'A_TRANSCRIBE_AUDIO'
const DEFAULT_MODEL = 'whisper-1'

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const url = parseWebAddress(readText(input, 'url'), ACTION)
  const language = parseLanguage(readText(input, 'language'))
  const method = chooseMethod(context)
  const fetch = needCapability(context, ACTION, 'fetch')
  const { bytes, type, truncated } = await downloadAudio(fetch, url.href, context.signal)
  if (bytes.length === 0) {
    throw new StewardError('rejected_content', { subject: url.href, reason: 'is an empty file' })
  }
  if (truncated) context.log(`the file is larger than ${bytes.length} bytes; the rest is left out`)
  const text = await method.transcribe({ bytes, format: audioFormat(bytes, type), language })
  const content = text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
  if (content === '') {
    throw new StewardError('rejected_content', { subject: url.href, reason: 'no speech was heard' })
  }
  return { content, source: method.source, audio_bytes: bytes.length, truncated }
}

interface Method {
  source: string
  transcribe: (recording: Recording) => Promise<string>
}

/**
 * A server if configured, else whisper.cpp on this machine; chosen before anything is downloaded.
 */
const chooseMethod = (context: ActionContextV2): Method => {
  const baseUrl = context.secret('TRANSCRIBE_BASE_URL')
  if (baseUrl) {
    const model = context.secret('TRANSCRIBE_MODEL') || DEFAULT_MODEL
    const server = { baseUrl, model, key: context.secret('TRANSCRIBE_API_KEY') }
    const fetch = needCapability(context, ACTION, 'fetch')
    return {
      source: `openai-compatible:${model}`,
      transcribe: (recording) => transcribeByServer(fetch, server, recording, context.signal),
    }
  }
  const modelPath = context.secret('WHISPER_MODEL')
  if (modelPath) {
    const shell = needCapability(context, ACTION, 'shell')
    return {
      source: 'whisper.cpp',
      transcribe: (recording) => transcribeByWhisper(shell, modelPath, recording),
    }
  }
  throw new StewardError('not_configured', {
    subject: 'transcription',
    reason:
      'set TRANSCRIBE_BASE_URL (and TRANSCRIBE_API_KEY, TRANSCRIBE_MODEL) for a server, or WHISPER_MODEL to the path of a whisper.cpp model',
  })
}

const parseLanguage = (language: string): string | undefined => {
  if (language === '') return undefined
  if (/^[a-z]{2,3}$/.test(language)) return language
  throw new StewardError('invalid_input', {
    subject: ACTION,
    reason: `"language" must be a code such as en, found ${JSON.stringify(language.slice(0, 40))}`,
    field: 'language',
  })
}
