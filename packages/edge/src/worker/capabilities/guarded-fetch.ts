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
  type SubrequestBudget,
} from '@steward/engine'
import { textIn, type WorkerEnv } from '../env.ts'
import type { WorkerPorts } from '../platform.ts'
import { refusalOfHost } from './literal-address.ts'

/**
 * `fetch` for addresses that others supply: http and https only, one time limit for everything, a cap
 * on the body, and no private addresses, neither at first nor after a redirect. An isolate cannot see
 * what a name resolves to, so only addresses and names that are private as written are refused; the
 * platform's own network keeps the rest from reaching anything of ours.
 *
 * `trusted` is for addresses that the flow's owner wrote into its definition; private ones may be meant.
 *
 * The call itself is counted by whoever hands it out; further hops are counted here.
 */
export const createWorkerFetch = (
  env: WorkerEnv,
  ports: Pick<WorkerPorts, 'fetch' | 'startTimer'>,
  subrequests: SubrequestBudget,
  { trusted = false }: { trusted?: boolean } = {},
): Fetch => {
  const listed = textIn(env, 'ALLOW_PRIVATE_HOSTS')?.split(',') ?? []
  const allowsListed = createPrivateHosts(listed.map((host) => host.trim()).filter(Boolean))
  const allowsPrivate: AllowsPrivate = trusted ? () => true : allowsListed

  return async (input, init = {}) => {
    const first = await firstHop(input, init)
    const limitMs = init.timeoutMs ?? LIMITS.fetchTimeoutMs
    const stop = new AbortController()
    const subject = `fetching ${withoutQuery(first.url)}`
    const onAbort = () => stop.abort(init.signal?.reason)
    if (init.signal?.aborted) onAbort()
    init.signal?.addEventListener('abort', onAbort, { once: true })
    const cancelTimer = ports.startTimer(limitMs, () =>
      stop.abort(new StewardError('timeout', { subject, limitMs })),
    )
    try {
      const { response, url, hops } = await followRedirects(first, init.redirect ?? 'follow', {
        fetch: ports.fetch,
        allowsPrivate,
        subrequests,
        signal: stop.signal,
      })
      const body = await readBody(response, withoutQuery(url))
      return toStandard(response, body, { url: withoutHash(url), redirected: hops > 0 })
    } catch (thrown) {
      if (stop.signal.aborted) throw stop.signal.reason
      if (thrown instanceof StewardError) throw thrown
      throw upstream(first.url, reasonOf(thrown), thrown)
    } finally {
      cancelTimer()
      init.signal?.removeEventListener('abort', onAbort)
    }
  }
}

interface Following {
  fetch: Fetch
  allowsPrivate: AllowsPrivate
  subrequests: SubrequestBudget
  signal: AbortSignal
}

const followRedirects = async (
  first: Hop,
  mode: RequestRedirect,
  { fetch, allowsPrivate, subrequests, signal }: Following,
): Promise<{ response: Response; url: URL; hops: number }> => {
  let hop = first
  for (let hops = 0; ; hops++) {
    checkHop(hop.url, allowsPrivate)
    if (hops > 0) subrequests.spend()
    const { url, method, headers, body } = hop
    const response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal,
    })
    const location = response.headers.get('location')
    if (!isRedirect(response.status, location) || mode === 'manual') return { response, url, hops }
    await response.body?.cancel()
    if (mode === 'error') throw upstream(url, 'it redirects, and redirect is set to "error"')
    if (hops >= LIMITS.fetchRedirects) {
      throw upstream(first.url, `it redirects more than ${LIMITS.fetchRedirects} times`)
    }
    hop = nextHop(hop, response.status, location)
  }
}

const checkHop = (url: URL, allowsPrivate: AllowsPrivate): void => {
  const refuse = (host: string, reason: string) =>
    new StewardError('address_refused', { host, reason })
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(withoutQuery(url), `only http and https are fetched, not ${url.protocol}`)
  }
  if (allowsPrivate(url.hostname, portOf(url))) return
  const reason = refusalOfHost(url.hostname)
  if (reason !== undefined) throw refuse(url.host, reason)
}

const readBody = async (
  response: Response,
  subject: string,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  if (response.body === null) return null
  const limit = LIMITS.fetchBodyBytes
  const announced = Number(response.headers.get('content-length') ?? 0)
  if (announced > limit && !response.headers.has('content-encoding')) {
    await response.body.cancel()
    throw new StewardError('payload_too_large', { subject, bytes: announced, limit })
  }
  return readCapped(response.body, limit, subject)
}

const NO_BODY = new Set([204, 205, 304])

const toStandard = (
  response: Response,
  body: Uint8Array<ArrayBuffer> | null,
  source: { url: string; redirected: boolean },
): Response => {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  // They describe the body as it travelled, and this one is unpacked.
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new FetchedResponse(
    NO_BODY.has(status) ? null : body,
    { status, statusText, headers },
    source,
  )
}

const upstream = (url: URL, reason: string, cause?: unknown): StewardError =>
  new StewardError('upstream_failed', { service: url.host, reason }, cause)

/** Queries and fragments carry tokens; they have no place in messages. */
const withoutQuery = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`

const withoutHash = (url: URL): string => {
  const copy = new URL(url)
  copy.hash = ''
  return copy.href
}
