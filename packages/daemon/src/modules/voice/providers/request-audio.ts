import { isJsonObject, LIMITS, parseJsonObject, parseRetryAfter, reasonOf } from '@steward/contract'
import type { VoicePorts } from '../ports.ts'
import { inspectAudio } from './audio-format.ts'
import type { Inspected } from './inspected.ts'
import type { ProviderFault } from './provider.ts'

export interface AudioRequest {
  service: string
  url: string
  headers: Record<string, string>
  body: unknown
}

export type AudioAnswer =
  | { ok: true; bytes: Uint8Array; sound: Inspected & { ok: true } }
  | { ok: false; fault: ProviderFault }

/** From the request to the last byte. */
const ANSWER_MS = 15_000
const ERROR_BYTES = 8192

/** Requests speech; any answer that is not complete audio is a fault. Only throws on abort. */
export const requestAudio = async (
  { service, url, headers, body }: AudioRequest,
  { fetch, setTimer, redactor, now }: Pick<VoicePorts, 'fetch' | 'setTimer' | 'redactor' | 'now'>,
  signal: AbortSignal,
): Promise<AudioAnswer> => {
  const timeout = new AbortController()
  const cancelTimer = setTimer(ANSWER_MS, () => timeout.abort())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout.signal]),
    })
    const limit = response.ok ? LIMITS.audioBytes : ERROR_BYTES
    const bytes = await readBytes(response, limit)
    if (!response.ok) {
      const said = explainBody(Buffer.from(bytes).toString('utf8'))
      // Cut after masking: half a secret would not be recognised.
      const shown = redactor().redactText(said).value.slice(0, SHOWN_CHARS)
      return { ok: false, fault: faultOf(service, response, shown, now()) }
    }
    if (bytes.length > limit) return broken(`${service} answered with more than ${limit} bytes`)
    const sound = inspectAudio(bytes)
    if (!sound.ok) return broken(`${service} answered with invalid audio: ${sound.reason}`)
    return { ok: true, bytes, sound }
  } catch (thrown) {
    signal.throwIfAborted()
    if (timeout.signal.aborted) return broken(`${service} did not answer within ${ANSWER_MS} ms`)
    return broken(`${service} could not be reached: ${explain(thrown)}`)
  } finally {
    cancelTimer()
  }
}

const broken = (message: string): AudioAnswer => ({ ok: false, fault: { kind: 'failed', message } })

/** The cause is more specific than "fetch failed". */
const explain = (thrown: unknown): string => {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause === undefined ? reasonOf(thrown) : `${reasonOf(thrown)}: ${reasonOf(cause)}`
}

/** Reads slightly more than the limit, so that exceeding it is noticed. */
const readBytes = async (response: Response, limit: number): Promise<Uint8Array> => {
  if (response.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > limit) break
  }
  return Buffer.concat(chunks)
}

const faultOf = (
  service: string,
  response: Response,
  said: string,
  nowMs: number,
): ProviderFault => {
  const { status } = response
  const kind = kindOf(status, said)
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), nowMs)
  return {
    kind,
    message: `${service} answered ${status}${said === '' ? '' : `: ${said}`}${HINTS[kind]}`,
    statusCode: status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

const HINTS: Record<ProviderFault['kind'], string> = {
  refused: ' (check the key)',
  quota: ' (the quota is used up)',
  busy: '',
  failed: '',
}

/** Services report an exhausted account in the body, under several statuses. */
const QUOTA = /quota_exceeded|insufficient_quota|exceeds your quota|quota exceeded|out of credits/i

const kindOf = (status: number, said: string): ProviderFault['kind'] => {
  if (status === 402 || QUOTA.test(said)) return 'quota'
  if (status === 401 || status === 403) return 'refused'
  return status === 429 ? 'busy' : 'failed'
}

const SHOWN_CHARS = 200

/** The error message of a service, wherever it is in the body. */
const explainBody = (text: string): string => {
  const fields = parseJsonObject(text)
  const detail = fields === undefined ? undefined : (fields.detail ?? fields.error ?? fields)
  const words = isJsonObject(detail)
    ? [detail.status, detail.code, detail.message].filter((each) => typeof each === 'string')
    : [typeof detail === 'string' ? detail : text]
  return words.join(': ').replace(/\s+/g, ' ').trim()
}
