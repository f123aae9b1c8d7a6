import {
  type FeedErrorClass,
  type FeedTier,
  type Fetch,
  LIMITS,
  type ParsedFeed,
  PLATFORM_VERSION,
} from '@steward/contract'
import type { FeedHints } from '../feed-format/parse-feed.ts'
import {
  type FeedBody,
  type ReadFeedBody,
  readFeedBodyHere,
} from '../feed-format/read-feed-body.ts'
import { classifyAnswer } from './classify-answer.ts'
import { classifyThrown } from './classify-thrown.ts'
import { type FeedFailure, FeedFailureError, failureOf } from './feed-failure.ts'
import { type Followed, followRedirects } from './follow-redirects.ts'
import type { HostGate } from './host-gate.ts'
import { type FreshnessHints, NO_HINTS } from './next-check.ts'
import { readHints } from './read-hints.ts'
import { type Answer, type RequestPorts, requestHop } from './request-hop.ts'

export interface FetchFeedPorts {
  /** For feed addresses: refuses private ones where that matters. */
  fetch: Fetch
  /** For the reader and the proxy, whose addresses the user configured. */
  trustedFetch: Fetch
  gate: HostGate
  now: () => number
  readerUrl?: string
  proxyUrl?: string
  /** `FEED_PROXY_TOKEN`. */
  proxyToken?: string
  timeoutMs?: number
  signal?: AbortSignal
  /** Parses bodies; in this thread by default. */
  readBody?: ReadFeedBody
}

export interface FeedRequest {
  url: string
  /** The validators of the last success; null fetches unconditionally. */
  validators: Validators | null
  /** The feed's own headers, with secrets filled in. */
  headers?: Record<string, string>
}

interface Validators {
  etag: string | null
  lastModified: string | null
}

interface Reached {
  tier: FeedTier
  hints: FreshnessHints
  /** Null if the tier's response has no validators. */
  validators: Validators | null
  permanentUrl: string | null
}

export type FetchedFeed =
  | ({ kind: 'items'; feed: ParsedFeed } & Reached)
  | ({ kind: 'unmodified' } & Reached)
  | { kind: 'failed'; class: FeedErrorClass; message: string; retryAfterMs: number | null }

/**
 * Fetches a feed through the first of three tiers that works (spec 1, Feed polling): its own
 * server; if that blocks us, a reader that returns markdown; then a proxy that fetches for us.
 */
export const fetchFeed = async (
  request: FeedRequest,
  ports: FetchFeedPorts,
): Promise<FetchedFeed> => {
  const first = await attempt(() => fetchDirectly(request, ports), ports)
  if (first.kind !== 'failed' || !first.isBlocked) return withoutBlocked(first)
  const said = [`directly: ${first.message}`]
  for (const [tier, fetchTier] of otherTiers(ports)) {
    const next = await attempt(() => fetchTier(request), ports)
    if (next.kind !== 'failed') return next
    said.push(`${tier}: ${next.message}`)
  }
  return withoutBlocked({ ...first, message: said.length === 1 ? first.message : said.join('; ') })
}

type Attempt = Exclude<FetchedFeed, { kind: 'failed' }> | ({ kind: 'failed' } & FeedFailure)

const attempt = async (
  fetchTier: () => Promise<FetchedFeed>,
  { signal }: FetchFeedPorts,
): Promise<Attempt> => {
  try {
    const fetched = await fetchTier()
    return fetched.kind === 'failed' ? { ...fetched, isBlocked: false } : fetched
  } catch (thrown) {
    // An abort is not a failure of the feed.
    signal?.throwIfAborted()
    return { kind: 'failed', ...classifyThrown(thrown) }
  }
}

const withoutBlocked = (attempted: Attempt): FetchedFeed => {
  if (attempted.kind !== 'failed') return attempted
  const { class: className, message, retryAfterMs } = attempted
  return { kind: 'failed', class: className, message, retryAfterMs }
}

type FetchTier = (request: FeedRequest) => Promise<FetchedFeed>

const otherTiers = (ports: FetchFeedPorts): [string, FetchTier][] => {
  const { readerUrl, proxyUrl } = ports
  const tiers: [string, FetchTier][] = []
  if (readerUrl !== undefined) {
    tiers.push(['by the reader', (request) => fetchByReader(request, readerUrl, ports)])
  }
  if (proxyUrl !== undefined) {
    tiers.push(['by the proxy', (request) => fetchByProxy(request, proxyUrl, ports)])
  }
  return tiers
}

const USER_AGENT = `Steward/${PLATFORM_VERSION} (feed reader)`
const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5'

const fetchDirectly = async (request: FeedRequest, ports: FetchFeedPorts): Promise<FetchedFeed> => {
  const headers = { plain: plainHeaders(request), own: request.headers ?? {} }
  const followed = await followRedirects(
    new URL(request.url),
    headers,
    portsFor(ports.fetch, ports),
  )
  return readAnswer('direct', request, followed, ports)
}

const fetchByProxy = async (
  request: FeedRequest,
  proxyUrl: string,
  ports: FetchFeedPorts,
): Promise<FetchedFeed> => {
  const url = new URL(`${withoutSlash(proxyUrl)}/fetch`)
  url.searchParams.set('url', request.url)
  const headers = {
    ...plainHeaders(request),
    ...(ports.proxyToken ? { authorization: `Bearer ${ports.proxyToken}` } : {}),
  }
  const answer = await requestHop(url, headers, portsFor(ports.trustedFetch, ports))
  const refusal = answer.headers.get(PROXY_ERROR_HEADER)
  if (refusal !== null) {
    throw new FeedFailureError(
      failureOf('network', `the proxy answers ${answer.status} ${refusal}`),
    )
  }
  const followed = { answer, url: new URL(request.url), permanentUrl: null }
  return readAnswer('proxy', request, followed, ports)
}

/** Set by the proxy on its own responses, to tell them from forwarded ones. */
export const PROXY_ERROR_HEADER = 'x-feed-proxy-error'

const fetchByReader = async (
  request: FeedRequest,
  readerUrl: string,
  ports: FetchFeedPorts,
): Promise<FetchedFeed> => {
  const url = new URL(`${withoutSlash(readerUrl)}/${request.url}`)
  const headers = { accept: 'text/markdown, text/plain;q=0.9', 'user-agent': USER_AGENT }
  const answer = await requestHop(url, headers, portsFor(ports.trustedFetch, ports))
  const failure = classifyAnswer(answer, ports.now())
  if (failure !== undefined) throw new FeedFailureError(failure)
  const feed = await parse(answer.body, 'reader-markdown', { url: request.url }, ports)
  const reached: Reached = {
    tier: 'reader',
    hints: NO_HINTS,
    validators: null,
    permanentUrl: null,
  }
  return feed.items.length === 0 ? zeroItems('its markdown') : { kind: 'items', feed, ...reached }
}

const readAnswer = async (
  tier: FeedTier,
  request: FeedRequest,
  { answer, url, permanentUrl }: Followed,
  ports: FetchFeedPorts,
): Promise<FetchedFeed> => {
  const { validators } = request
  if (answer.status === 304 && wasConditional(validators)) {
    return {
      kind: 'unmodified',
      tier,
      hints: readHints(answer.headers, null),
      validators: refreshed(validators, answer),
      permanentUrl,
    }
  }
  const failure = classifyAnswer(answer, ports.now())
  if (failure !== undefined) throw new FeedFailureError(failure)
  const reached: Reached = {
    tier,
    hints: readHints(answer.headers, answer.body),
    validators: validatorsOf(answer),
    permanentUrl,
  }
  if (validators !== null && isSameTag(validators.etag, reached.validators?.etag ?? null)) {
    return { kind: 'unmodified', ...reached }
  }
  const contentType = answer.headers.get('content-type')
  const hints = { url: url.href, ...(contentType === null ? {} : { contentType }) }
  const feed = await parse(answer.body, 'feed', hints, ports)
  return feed.items.length === 0 ? zeroItems('the feed') : { kind: 'items', feed, ...reached }
}

const parse = async (
  body: Uint8Array,
  form: FeedBody['form'],
  hints: FeedHints,
  { readBody = readFeedBodyHere, signal }: FetchFeedPorts,
): Promise<ParsedFeed> => {
  const parsed = await readBody({ body, form, hints }, signal)
  if (!parsed.ok) throw new FeedFailureError(failureOf('parse_error', parsed.error.message))
  return parsed.value
}

/** Facts 8: a response without items counts as an error, and none of it is stored. */
const zeroItems = (subject: string): FetchedFeed => ({
  kind: 'failed',
  ...failureOf('zero_items', `${subject} has no items`),
})

const plainHeaders = ({ validators }: FeedRequest): Record<string, string> => ({
  accept: ACCEPT,
  'user-agent': USER_AGENT,
  ...(validators?.etag ? { 'if-none-match': validators.etag } : {}),
  ...(validators?.lastModified ? { 'if-modified-since': validators.lastModified } : {}),
})

const validatorsOf = ({ headers }: Answer): Validators => ({
  etag: headers.get('etag'),
  lastModified: headers.get('last-modified'),
})

const wasConditional = (validators: Validators | null): validators is Validators =>
  Boolean(validators?.etag) || Boolean(validators?.lastModified)

/** RFC 9111: a 304 may carry newer validators; omitted ones stay. */
const refreshed = (before: Validators, answer: Answer): Validators => {
  const { etag, lastModified } = validatorsOf(answer)
  return { etag: etag ?? before.etag, lastModified: lastModified ?? before.lastModified }
}

const isSameTag = (before: string | null, now: string | null): boolean =>
  before !== null && now !== null && bareTag(before) === bareTag(now)

const bareTag = (tag: string): string => tag.trim().replace(/^W\//i, '')

const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

const portsFor = (
  fetch: Fetch,
  { gate, timeoutMs = LIMITS.fetchTimeoutMs, signal }: FetchFeedPorts,
): RequestPorts => ({ fetch, gate, timeoutMs, signal })
