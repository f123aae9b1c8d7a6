import { LIMITS } from '@steward/contract'
import { FeedFailureError, failureOf } from './feed-failure.ts'
import { type Answer, type RequestPorts, requestHop } from './request-hop.ts'

export interface RequestHeaders {
  /** Sent to every host of the redirect chain. */
  plain: Record<string, string>
  /** The feed's own headers, which may be credentials: only sent to its own origin. */
  own: Record<string, string>
}

export interface Followed {
  answer: Answer
  /** The final address. */
  url: URL
  /** The final address if every redirect was permanent; null without redirects. */
  permanentUrl: string | null
}

/**
 * Follows redirects itself to find out whether a feed moved permanently: the whole chain must be
 * permanent (301, 308), and one temporary hop makes it temporary.
 */
export const followRedirects = async (
  start: URL,
  headers: RequestHeaders,
  ports: RequestPorts,
): Promise<Followed> => {
  let url = start
  let isPermanent = true
  for (let hops = 0; ; hops++) {
    const sent = url.origin === start.origin ? { ...headers.plain, ...headers.own } : headers.plain
    const answer = await requestHop(url, sent, ports)
    const location = answer.headers.get('location')
    if (!REDIRECTS.has(answer.status) || location === null) {
      return { answer, url, permanentUrl: hops > 0 && isPermanent ? url.href : null }
    }
    if (hops === LIMITS.fetchRedirects) {
      throw redirectError(`it redirects more than ${LIMITS.fetchRedirects} times`)
    }
    isPermanent &&= PERMANENT.has(answer.status)
    url = nextUrl(location, url)
  }
}

const PERMANENT = new Set([301, 308])
const REDIRECTS = new Set([301, 302, 303, 307, 308])

const nextUrl = (location: string, base: URL): URL => {
  const next = URL.parse(location, base.href)
  if (next === null) throw redirectError(`it redirects to ${location}, which is not an address`)
  if (next.protocol !== 'http:' && next.protocol !== 'https:') {
    throw redirectError(`it redirects to ${next.protocol}, and only http and https are fetched`)
  }
  // Credentials in a redirect must not be sent.
  next.username = ''
  next.password = ''
  next.hash = ''
  return next
}

const redirectError = (message: string): FeedFailureError =>
  new FeedFailureError(failureOf('redirect', message))
