import { createHash, timingSafeEqual } from 'node:crypto'
import { type Fetch, StewardError, toStewardError } from '@steward/contract'
import { PROXY_ERROR_HEADER } from '@steward/engine'

export interface FeedProxyPorts {
  /** Callers must send this token. */
  token: string
  /** Must refuse private addresses: the token's holder chooses what is fetched. */
  fetch: Fetch
  now: () => Date
}

/** Headers that pass from the poller to the feed's server, and back. */
const PASSED_ON = ['accept', 'user-agent', 'if-none-match', 'if-modified-since'] as const
const PASSED_BACK = [
  'content-type',
  'etag',
  'last-modified',
  'retry-after',
  'cache-control',
  'expires',
  'cf-mitigated',
] as const
/** More than this means that the proxy of one user is being abused, or a server hangs. */
const MAX_AT_ONCE = 64

/**
 * Tier 3 of the poller (spec 1, Feed polling): `GET /fetch?url=…` with the bearer token fetches a
 * feed from here and forwards the response. Its own responses carry a marker header.
 */
export const createFeedProxy = ({ token, fetch, now }: FeedProxyPorts) => {
  let atOnce = 0

  const fetchFor = async (request: Request, url: string): Promise<Response> => {
    if (atOnce >= MAX_AT_ONCE) {
      const reason = `${MAX_AT_ONCE} requests are already in progress`
      throw new StewardError('rate_limited', { service: 'the proxy', reason })
    }
    atOnce++
    try {
      const answer = await fetch(url, {
        headers: pick(request.headers, PASSED_ON),
        signal: request.signal,
      })
      // The constructor throws if these have a body.
      const body = [204, 205, 304].includes(answer.status) ? null : answer.body
      return new Response(body, {
        status: answer.status,
        headers: pick(answer.headers, PASSED_BACK),
      })
    } finally {
      atOnce--
    }
  }

  const answer = (request: Request): Promise<Response> | Response => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/health' && request.method === 'GET') {
      return Response.json({ status: 'ok', timestamp: now().toISOString() })
    }
    if (!isBearer(request.headers.get('authorization'), token)) {
      throw new StewardError('unauthorized')
    }
    if (pathname !== '/fetch') {
      throw new StewardError('not_found', {
        what: 'path',
        name: pathname,
        hint: '; use /fetch?url=…',
      })
    }
    if (request.method !== 'GET') {
      throw new StewardError('method_not_allowed', { method: request.method, allowed: 'GET' })
    }
    const url = searchParams.get('url')
    if (url === null || !URL.canParse(url)) {
      const reason = 'give the address of a feed, encoded: /fetch?url=https%3A%2F%2F…'
      throw new StewardError('invalid_input', { subject: 'url', reason, field: 'url' })
    }
    return fetchFor(request, url)
  }

  return async (request: Request): Promise<Response> => {
    try {
      return await answer(request)
    } catch (thrown) {
      const error = toStewardError(thrown, 'upstream_failed', { service: 'the feed' })
      return Response.json(error.toBody(), {
        status: error.status,
        headers: { [PROXY_ERROR_HEADER]: error.code },
      })
    }
  }
}

const pick = (headers: Headers, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

/** Hashes have equal length, so that the comparison's duration reveals nothing about the token. */
const isBearer = (header: string | null, token: string): boolean => {
  const given = /^Bearer (.+)$/i.exec(header ?? '')?.[1]
  if (given === undefined || token === '') return false
  return timingSafeEqual(hash(given), hash(token))
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
