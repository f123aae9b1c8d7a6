import { type Fetch, LIMITS, reasonOf, StewardError } from '@steward/contract'
import { createFetchedResponse, type Source } from './fetched-response.ts'
import { firstHop } from './first-hop.ts'
import { type Hop, isRedirect, nextHop } from './next-hop.ts'
import { type AllowsPrivate, portOf } from './private-hosts.ts'
import { readCapped } from './read-capped.ts'

/** A response as any runtime's fetch returns it. */
export interface SentResponse {
  status: number
  statusText: string
  headers: Iterable<[string, string]> & {
    get: (name: string) => string | null
    has: (name: string) => boolean
  }
  body: (AsyncIterable<Uint8Array> & { cancel: () => Promise<void> }) | null
}

/** What to guard, and the runtime's means for it. */
export interface FetchGuard {
  /** Sends one request without following redirects. */
  send: (hop: Hop, signal: AbortSignal) => Promise<SentResponse>
  /** Why a host may not be reached; `undefined` for names that are checked elsewhere. */
  refusalOf: (hostname: string) => string | undefined
  allowsPrivate: AllowsPrivate
  startTimer: (delayMs: number, onElapsed: () => void) => () => void
  limits?: { bodyBytes?: number; timeoutMs?: number; redirects?: number }
  /** Called before a redirect is followed. */
  onRedirect?: () => void
  /** Finds the informative error among those that the runtime nests. */
  explain?: (thrown: unknown) => unknown
}

/**
 * `fetch` for untrusted addresses: only http and https, no private addresses even after a redirect,
 * one timeout for everything, and a limit on the decompressed body, which is read completely before
 * the response is returned.
 */
export const guardFetch = (guard: FetchGuard): Fetch => {
  const bodyBytes = guard.limits?.bodyBytes ?? LIMITS.fetchBodyBytes
  const timeoutMs = guard.limits?.timeoutMs ?? LIMITS.fetchTimeoutMs
  return async (input, init = {}) => {
    const first = await firstHop(input, init)
    const stop = new AbortController()
    const onAbort = () => stop.abort(init.signal?.reason)
    if (init.signal?.aborted) onAbort()
    init.signal?.addEventListener('abort', onAbort, { once: true })
    const limitMs = init.timeoutMs ?? timeoutMs
    const cancelTimer = guard.startTimer(limitMs, () => {
      const subject = `fetching ${withoutQuery(first.url)}`
      stop.abort(new StewardError('timeout', { subject, limitMs }))
    })
    try {
      const mode = init.redirect ?? 'follow'
      const { response, url, hops } = await followRedirects(first, mode, guard, stop.signal)
      const body = await readBody(response, bodyBytes, withoutQuery(url))
      return toStandard(response, body, { url: withoutHash(url), redirected: hops > 0 })
    } catch (thrown) {
      const error = stop.signal.aborted ? stop.signal.reason : toFetchError(thrown, first, guard)
      // Closes the connection of a response that was not read to its end.
      stop.abort(error)
      throw error
    } finally {
      cancelTimer()
      init.signal?.removeEventListener('abort', onAbort)
    }
  }
}

const followRedirects = async (
  first: Hop,
  mode: RequestRedirect,
  guard: FetchGuard,
  signal: AbortSignal,
): Promise<{ response: SentResponse; url: URL; hops: number }> => {
  const redirects = guard.limits?.redirects ?? LIMITS.fetchRedirects
  let hop = first
  for (let hops = 0; ; hops++) {
    checkHop(hop.url, guard)
    if (hops > 0) guard.onRedirect?.()
    const { url } = hop
    const response = await guard.send(hop, signal)
    const location = response.headers.get('location')
    if (!isRedirect(response.status, location) || mode === 'manual') return { response, url, hops }
    await response.body?.cancel()
    if (mode === 'error') throw upstream(url, 'it redirects, and redirect is set to "error"')
    if (hops >= redirects) throw upstream(first.url, `it redirects more than ${redirects} times`)
    hop = nextHop(hop, response.status, location)
  }
}

const checkHop = (url: URL, { allowsPrivate, refusalOf }: FetchGuard): void => {
  const refuse = (host: string, reason: string) =>
    new StewardError('address_refused', { host, reason })
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(withoutQuery(url), `only http and https are fetched, not ${url.protocol}`)
  }
  if (allowsPrivate(url.hostname, portOf(url))) return
  const reason = refusalOf(url.hostname)
  if (reason !== undefined) throw refuse(url.host, reason)
}

const readBody = async (
  { body, headers }: SentResponse,
  limit: number,
  subject: string,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (body === null) return null
  const announced = Number(headers.get('content-length') ?? 0)
  if (announced > limit && !headers.has('content-encoding')) {
    throw new StewardError('payload_too_large', { subject, bytes: announced, limit })
  }
  return readCapped(body, limit, subject)
}

const NO_BODY = new Set([204, 205, 304])

const toStandard = (
  { status, statusText, headers: given }: SentResponse,
  body: Uint8Array<ArrayBuffer> | null,
  source: Source,
): Response => {
  const headers = new Headers([...given])
  // They describe the compressed body, and this one is decompressed.
  headers.delete('content-encoding')
  headers.delete('content-length')
  const usable = NO_BODY.has(status) ? null : body
  return createFetchedResponse(usable, { status, statusText, headers }, source)
}

const toFetchError = (thrown: unknown, { url }: Hop, { explain }: FetchGuard): StewardError => {
  const error = explain === undefined ? thrown : explain(thrown)
  return error instanceof StewardError ? error : upstream(url, reasonOf(error), thrown)
}

const upstream = (url: URL, reason: string, cause?: unknown): StewardError =>
  new StewardError('upstream_failed', { service: url.host, reason }, cause)

/** Queries and fragments may contain tokens, which must not appear in messages. */
const withoutQuery = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`

const withoutHash = (url: URL): string => {
  const copy = new URL(url)
  copy.hash = ''
  return copy.href
}
