import { reasonOf, StewardError } from '@steward/contract'
import { codeOf } from '@steward/platform'
import { delivered, type SendOutcome } from './send-outcome.ts'

export interface HttpPorts {
  fetch: (address: string, init: RequestInit) => Promise<Response>
  /** A signal that aborts after the delay. */
  abortAfter: (delayMs: number) => AbortSignal
}

export interface ServiceRequest {
  /** Its display name; the address may be a secret and is never shown. */
  service: string
  address: string
  method: 'GET' | 'POST' | 'DELETE'
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array<ArrayBuffer>
  /** The meaning of a status for this service, with a remedy. */
  meanings: Readonly<Record<number, string>>
}

/** `isUncertain`: the request may have succeeded; only the answer is missing. */
interface RequestFailure {
  state: 'failed'
  error: StewardError
  retryAfterMs?: number
  isUncertain?: true
  /** The status of the answer, if there was one. */
  status?: number
}

export type ServiceAnswer<T> = { ok: true; value: T } | { ok: false; failure: RequestFailure }

const TIMEOUT_MS = 5000

/**
 * Sends one request; `read` may use the rest of the time for a successful answer. For errors only
 * the status is reported, because the body may repeat the request.
 */
export const requestService = async <T>(
  { service, address, method, headers, body, meanings }: ServiceRequest,
  ports: HttpPorts,
  read: (response: Response) => Promise<T>,
): Promise<ServiceAnswer<T>> => {
  const signal = ports.abortAfter(TIMEOUT_MS)
  try {
    const response = await ports.fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      signal,
      // Following a redirect would send the message and the address to another server.
      redirect: 'manual',
    })
    if (response.ok) return { ok: true, value: await read(response) }
    await response.body?.cancel()
    const { status } = response
    return { ok: false, failure: { ...refused(service, response, meanings), status } }
  } catch (thrown) {
    if (signal.aborted) {
      const error = new StewardError('timeout', { subject: service, limitMs: TIMEOUT_MS })
      return { ok: false, failure: { state: 'failed', error, isUncertain: true } }
    }
    const error = new StewardError('upstream_failed', { service, reason: describeFault(thrown) })
    const isUncertain = !NEVER_SENT.has(faultCodeOf(thrown) ?? '')
    return {
      ok: false,
      failure: { state: 'failed', error, ...(isUncertain ? { isUncertain } : {}) },
    }
  }
}

/** Posts a message once; the body of the answer is not read. */
export const postToService = async (
  post: Omit<ServiceRequest, 'method'>,
  ports: HttpPorts,
): Promise<SendOutcome> => {
  const answer = await requestService({ ...post, method: 'POST' }, ports, async (response) => {
    await response.body?.cancel()
    return delivered(`HTTP ${response.status}`)
  })
  return answer.ok ? answer.value : answer.failure
}

const refused = (
  service: string,
  response: Response,
  meanings: Readonly<Record<number, string>>,
): RequestFailure => {
  const { status } = response
  const meaning = meanings[status] ?? MEANINGS[status]
  const reason = meaning === undefined ? `HTTP ${status}` : `HTTP ${status}, ${meaning}`
  const retryAfterMs = readRetryAfterMs(response.headers.get('retry-after'))
  const fail = (error: StewardError): RequestFailure => ({ state: 'failed', error })
  const failForNow = (code: 'rate_limited' | 'upstream_failed'): RequestFailure => ({
    ...fail(new StewardError(code, { service, reason })),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  if (status === 429) return failForNow('rate_limited')
  if (status === 503 || status === 408 || status === 425) return failForNow('upstream_failed')
  // The service failed during processing, or a proxy lost its answer.
  if (status >= 500) return { ...failForNow('upstream_failed'), isUncertain: true }
  if (status === 401 || status === 403 || status === 404 || status < 400) {
    return fail(new StewardError('not_configured', { subject: service, reason }))
  }
  return fail(new StewardError('rejected_content', { subject: service, reason }))
}

const REDIRECT = 'a redirect, which is not followed: set the target address instead'
const MEANINGS: Readonly<Record<number, string>> = {
  301: REDIRECT,
  302: REDIRECT,
  303: REDIRECT,
  307: REDIRECT,
  308: REDIRECT,
  400: 'it did not understand the message',
  413: 'the message is too large for it',
  429: 'it is rate limiting',
}

export const LONGEST_RETRY_AFTER_MS = 3_600_000

/** In seconds; these services do not use the date form. */
const readRetryAfterMs = (text: string | null): number | undefined => {
  const seconds = Number(text?.trim() || Number.NaN)
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  return Math.min(Math.ceil(seconds * 1000), LONGEST_RETRY_AFTER_MS)
}

/** The system's error code; longer messages may contain the address. */
const describeFault = (thrown: unknown): string => {
  const code = faultCodeOf(thrown)
  if (code !== undefined) return FAULTS[code] ?? `the connection failed (${code})`
  return reasonOf(thrown) === 'fetch failed' ? 'it cannot be reached' : 'the request failed'
}

const faultCodeOf = (thrown: unknown): string | undefined => {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  return codeOf(cause)
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was closed (ECONNRESET)',
  ENOTFOUND: 'its host name is not known (ENOTFOUND); check it, and the network',
  EAI_AGAIN: 'its host name cannot be looked up now (EAI_AGAIN); check the network',
  UND_ERR_SOCKET: 'the connection was closed',
}

/** There was no connection, so nothing was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
