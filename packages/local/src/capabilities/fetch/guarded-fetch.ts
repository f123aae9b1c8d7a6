import { type Fetch, LIMITS, reasonOf, StewardError } from '@steward/contract'
import {
  type AllowsPrivate,
  createPrivateHosts,
  FetchedResponse,
  firstHop,
  type Hop,
  isRedirect,
  nextHop,
  portOf,
  readCapped,
} from '@steward/engine'
import type { Dispatcher, Response as UndiciResponse } from 'undici'
import { type StartTimer, startSystemTimer } from '../start-timer.ts'
import { isAddress, refusalOf } from './address.ts'
import { createGuardedAgent, type Lookup, lookUpAll } from './guarded-agent.ts'

export interface GuardedFetchOptions {
  /** `host` or `host:port` entries that may be private or loopback. */
  allowPrivateHosts?: readonly string[]
  limits?: { bodyBytes?: number; timeoutMs?: number; redirects?: number }
  lookup?: Lookup
  startTimer?: StartTimer
}

/**
 * `fetch` for addresses that others supply: http and https only, no private addresses, neither at
 * first nor after a redirect, one time limit for everything, and a cap on the decompressed body.
 * The body is read whole before the answer is given, and proxies of the environment are not used.
 */
export const createGuardedFetch = ({
  allowPrivateHosts = [],
  limits: {
    bodyBytes = LIMITS.fetchBodyBytes,
    timeoutMs = LIMITS.fetchTimeoutMs,
    redirects = LIMITS.fetchRedirects,
  } = {},
  lookup = lookUpAll,
  startTimer = startSystemTimer,
}: GuardedFetchOptions = {}): Fetch => {
  const allowsPrivate = createPrivateHosts(allowPrivateHosts)
  let agent: Promise<Dispatcher> | undefined

  return async (input, init = {}) => {
    const first = await firstHop(input, init)
    const subject = `fetching ${withoutQuery(first.url)}`
    const stop = new AbortController()
    const onAbort = () => stop.abort(init.signal?.reason)
    if (init.signal?.aborted) onAbort()
    init.signal?.addEventListener('abort', onAbort, { once: true })
    const limitMs = init.timeoutMs ?? timeoutMs
    const cancelTimer = startTimer(limitMs, () =>
      stop.abort(new StewardError('timeout', { subject, limitMs })),
    )
    try {
      const mode = init.redirect ?? 'follow'
      agent ??= createGuardedAgent(allowsPrivate, lookup, timeoutMs)
      const follow = { mode, redirects, allowsPrivate, agent: await agent, signal: stop.signal }
      const { response, url, hops } = await followRedirects(first, follow)
      const body = await readBody(response, bodyBytes, withoutQuery(url))
      return toStandard(response, body, { url: withoutHash(url), redirected: hops > 0 })
    } catch (thrown) {
      const error = stop.signal.aborted ? stop.signal.reason : failureOf(thrown, first.url)
      stop.abort(error)
      throw error
    } finally {
      cancelTimer()
      init.signal?.removeEventListener('abort', onAbort)
    }
  }
}

interface Following {
  mode: RequestRedirect
  redirects: number
  allowsPrivate: AllowsPrivate
  agent: Dispatcher
  signal: AbortSignal
}

const followRedirects = async (
  first: Hop,
  { mode, redirects, allowsPrivate, agent, signal }: Following,
): Promise<{ response: UndiciResponse; url: URL; hops: number }> => {
  const { fetch: send } = await import('undici')
  let hop = first
  for (let hops = 0; ; hops++) {
    checkHop(hop.url, allowsPrivate)
    const { url, method, headers, body } = hop
    const response = await send(url, {
      method,
      headers: [...headers],
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      dispatcher: agent,
      signal,
    })
    const location = response.headers.get('location')
    if (!isRedirect(response.status, location) || mode === 'manual') return { response, url, hops }
    await response.body?.cancel()
    if (mode === 'error') throw upstream(url, 'it redirects, and redirect is set to "error"')
    if (hops >= redirects) throw upstream(first.url, `it redirects more than ${redirects} times`)
    hop = nextHop(hop, response.status, location)
  }
}

/** Names are checked when they are resolved; what is already an address never is. */
const checkHop = (url: URL, allowsPrivate: AllowsPrivate): void => {
  const refuse = (host: string, reason: string) =>
    new StewardError('address_refused', { host, reason })
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(withoutQuery(url), `only http and https are fetched, not ${url.protocol}`)
  }
  if (!isAddress(url.hostname) || allowsPrivate(url.hostname, portOf(url))) return
  const reason = refusalOf(url.hostname)
  if (reason !== undefined) throw refuse(url.host, reason)
}

const readBody = async (
  response: UndiciResponse,
  limitBytes: number,
  subject: string,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (response.body === null) return null
  const announced = Number(response.headers.get('content-length') ?? 0)
  if (announced > limitBytes && !response.headers.has('content-encoding')) {
    throw new StewardError('payload_too_large', { subject, bytes: announced, limit: limitBytes })
  }
  return readCapped(response.body, limitBytes, subject)
}

const NO_BODY = new Set([204, 205, 304])

const toStandard = (
  response: UndiciResponse,
  body: Uint8Array<ArrayBuffer> | null,
  source: { url: string; redirected: boolean },
): Response => {
  const { status, statusText } = response
  const headers = new Headers([...response.headers])
  // They describe the body as it travelled, and this one is unpacked.
  headers.delete('content-encoding')
  headers.delete('content-length')
  const usable = NO_BODY.has(status) ? null : body
  return new FetchedResponse(usable, { status, statusText, headers }, source)
}

/** The telling error stands at the end of a chain of causes, or first among several attempts. */
const failureOf = (thrown: unknown, url: URL): unknown => {
  let error = thrown
  for (let next = thrown; next instanceof Error; next = deeperThan(next)) {
    if (next instanceof StewardError) return next
    error = next
  }
  return upstream(url, reasonOf(error), thrown)
}

const deeperThan = (error: Error): unknown =>
  error instanceof AggregateError ? error.errors[0] : error.cause

const upstream = (url: URL, reason: string, cause?: unknown): StewardError =>
  new StewardError('upstream_failed', { service: url.host, reason }, cause)

/** Queries and fragments carry tokens; they have no place in messages. */
const withoutQuery = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`

const withoutHash = (url: URL): string => {
  const copy = new URL(url)
  copy.hash = ''
  return copy.href
}
