import { reasonOf, StewardError } from '@steward/contract'
import { delivered, failed, type SendOutcome } from './send-outcome.ts'

export interface HttpPorts {
  fetch: (address: string, init: RequestInit) => Promise<Response>
  /** A signal that is aborted after so long. */
  abortAfter: (delayMs: number) => AbortSignal
}

export interface ServicePost {
  /** What to call it; its address may be a secret and is never told. */
  service: string
  address: string
  headers: Readonly<Record<string, string>>
  body: string
  /** What a status means here, and what would be right. */
  meanings: Readonly<Record<number, string>>
}

const TIMEOUT_MS = 5000

/** Posts once. Only the status is told: an answer's body may repeat what was sent. */
export const postToService = async (
  { service, address, headers, body, meanings }: ServicePost,
  ports: HttpPorts,
): Promise<SendOutcome> => {
  const signal = ports.abortAfter(TIMEOUT_MS)
  try {
    const response = await ports.fetch(address, {
      method: 'POST',
      headers,
      body,
      signal,
      // Following would hand the message and the address to whomever the answer names.
      redirect: 'manual',
    })
    await response.body?.cancel()
    if (response.ok) return delivered(`HTTP ${response.status}`)
    return refused(service, response, meanings)
  } catch (thrown) {
    if (signal.aborted) {
      return failed(new StewardError('timeout', { subject: service, limitMs: TIMEOUT_MS }))
    }
    return failed(new StewardError('upstream_failed', { service, reason: describeFault(thrown) }))
  }
}

const refused = (
  service: string,
  response: Response,
  meanings: Readonly<Record<number, string>>,
): SendOutcome => {
  const { status } = response
  const meaning = meanings[status] ?? MEANINGS[status]
  const reason = meaning === undefined ? `HTTP ${status}` : `HTTP ${status}, ${meaning}`
  if (status === 429) {
    const error = new StewardError('rate_limited', { service, reason })
    return failed(error, readRetryAfterMs(response.headers.get('retry-after')))
  }
  if (status >= 500 || status === 408 || status === 425) {
    const error = new StewardError('upstream_failed', { service, reason })
    return failed(error, readRetryAfterMs(response.headers.get('retry-after')))
  }
  if (status === 401 || status === 403 || status === 404 || status < 400) {
    return failed(new StewardError('not_configured', { subject: service, reason }))
  }
  return failed(new StewardError('rejected_content', { subject: service, reason }))
}

const REDIRECT = 'a redirect, which is not followed: set the address it leads to'
const MEANINGS: Readonly<Record<number, string>> = {
  301: REDIRECT,
  302: REDIRECT,
  303: REDIRECT,
  307: REDIRECT,
  308: REDIRECT,
  400: 'it did not understand the message',
  413: 'the message is too large for it',
  429: 'it wants fewer messages',
}

const LONGEST_RETRY_AFTER_MS = 3_600_000

/** Seconds; the form with a date is not used by these services. */
const readRetryAfterMs = (text: string | null): number | undefined => {
  const seconds = Number(text?.trim() || Number.NaN)
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  return Math.min(Math.ceil(seconds * 1000), LONGEST_RETRY_AFTER_MS)
}

/** The system's name for it; messages around it may repeat the address. */
const describeFault = (thrown: unknown): string => {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') {
    return FAULTS[cause.code] ?? `the connection failed (${cause.code})`
  }
  return reasonOf(thrown) === 'fetch failed' ? 'it cannot be reached' : 'the request failed'
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was broken off (ECONNRESET)',
  ENOTFOUND: 'its host name is not known (ENOTFOUND); check it, and the network',
  EAI_AGAIN: 'its host name cannot be looked up now (EAI_AGAIN); check the network',
  UND_ERR_SOCKET: 'the connection was broken off',
}
