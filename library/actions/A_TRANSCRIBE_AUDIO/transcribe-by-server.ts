import { type Fetch, isJsonObject, StewardError } from '@steward/contract'
import { checkServiceResponse } from '../../lib/check-response.ts'
import type { Recording } from './recording.ts'

const TIMEOUT_MS = 1_500_000

export interface TranscriptionServer {
  baseUrl: string
  key: string | undefined
  model: string
}

/**
 * Posts the audio to any server with OpenAI's transcription route: hosted ones, whisper.cpp,
 * faster-whisper.
 */
export const transcribeByServer = async (
  fetch: Fetch,
  { baseUrl, key, model }: TranscriptionServer,
  { bytes, format, language }: Recording,
  signal: AbortSignal,
): Promise<string> => {
  const base = URL.parse(baseUrl)
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new StewardError('not_configured', {
      subject: 'TRANSCRIBE_BASE_URL',
      reason: 'it must be an http or https address such as http://127.0.0.1:8000/v1',
    })
  }
  const form = new FormData()
  form.set('model', model)
  form.set('response_format', 'json')
  form.set('temperature', '0')
  if (language !== undefined) form.set('language', language)
  form.set('file', new Blob([bytes]), `audio.${format}`)
  // Encoded here, so that the fetch below need not know this FormData class.
  const encoded = new Response(form)
  const response = await fetch(`${base.href.replace(/\/+$/, '')}/audio/transcriptions`, {
    method: 'POST',
    signal,
    timeoutMs: TIMEOUT_MS,
    headers: {
      'content-type': encoded.headers.get('content-type') ?? 'multipart/form-data',
      ...(key ? { authorization: `Bearer ${key}` } : {}),
    },
    body: await encoded.arrayBuffer(),
  })
  await checkServiceResponse(response, base.host)
  return readTranscript(await response.text(), base.host)
}

const readTranscript = (body: string, service: string): string => {
  const wrong = (cause?: unknown) =>
    new StewardError(
      'upstream_failed',
      { service, reason: `expected {"text": …}, found ${JSON.stringify(body.slice(0, 120))}` },
      cause,
    )
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch (cause) {
    throw wrong(cause)
  }
  if (!isJsonObject(answer) || typeof answer.text !== 'string') throw wrong()
  return answer.text
}
