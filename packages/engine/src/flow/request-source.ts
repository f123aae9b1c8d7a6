import { type Fetch, StewardError } from '@steward/contract'
import { isRateLimited, pausedUntil, pauseOf } from './rate-limit.ts'

const USER_AGENT = 'Steward/5.0 (feed and item reader)'

/** What a server gave to ask later whether its answer has changed. */
export interface Validators {
  etag?: string | undefined
  modified?: string | undefined
}

export interface SourceAnswer {
  /** Undefined if the answer has not changed since the validators. */
  bytes: Uint8Array | undefined
  contentType: string | undefined
  validators: Validators
  headers: Headers
  /** Until when the server wants no further request; 0 if it did not say. */
  notBeforeMs: number
  /** After redirects. */
  url: string
}

/**
 * The answer of a source; any status but success and "not modified" is an error that names it. A
 * limit of requests is an error with the time for the next one.
 */
export const requestSource = async (
  fetch: Fetch,
  url: string,
  init: RequestInit & { headers: Record<string, string> },
  { etag, modified }: Validators,
  nowMs: number,
): Promise<SourceAnswer> => {
  const response = await fetch(url, {
    ...init,
    headers: {
      'user-agent': USER_AGENT,
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(modified === undefined ? {} : { 'if-modified-since': modified }),
      ...init.headers,
    },
  })
  const { status, statusText, headers } = response
  const isConditional = etag !== undefined || modified !== undefined
  const isUnchanged = status === 304 && isConditional
  const pauseMs = pauseOf(headers, nowMs)
  if (!response.ok && !isUnchanged) {
    await response.body?.cancel()
    if (isRateLimited(response, nowMs) && pauseMs !== undefined) {
      throw pausedUntil(url, nowMs + pauseMs, nowMs)
    }
    throw new StewardError(status === 429 ? 'rate_limited' : 'upstream_failed', {
      service: url,
      reason: `status ${status} ${statusText}`.trim(),
      upstreamStatus: status,
      ...(pauseMs === undefined ? {} : { retryAfterSeconds: Math.ceil(pauseMs / 1000) }),
    })
  }
  return {
    bytes: isUnchanged ? undefined : new Uint8Array(await response.arrayBuffer()),
    contentType: headers.get('content-type') ?? undefined,
    validators: {
      etag: headers.get('etag') ?? (isUnchanged ? etag : undefined),
      modified: headers.get('last-modified') ?? (isUnchanged ? modified : undefined),
    },
    headers,
    notBeforeMs: pauseMs === undefined ? 0 : nowMs + pauseMs,
    url: response.url === '' ? url : response.url,
  }
}

/** When the server of a failed request wants the next one; 0 if it did not say. */
export const notBeforeOf = ({ details }: StewardError, nowMs: number): number => {
  const { retryAfterSeconds } = details
  return typeof retryAfterSeconds === 'number' ? nowMs + retryAfterSeconds * 1000 : 0
}

/** Refuses to ask before the time that the server named. */
export const checkPause = (service: string, notBeforeMs: number, nowMs: number): void => {
  if (nowMs < notBeforeMs) throw pausedUntil(service, notBeforeMs, nowMs)
}
