import { type Fetch, LIMITS, reasonOf, StewardError } from '@steward/contract'
import { createPrivateHosts } from '@steward/engine'
import type { Dispatcher } from 'undici'
import { isAddress, refusalOf } from './address.ts'
import { findTelling } from './find-telling.ts'
import { createGuardedAgent, type Lookup, lookUpAll } from './guarded-agent.ts'

export interface GuardedStreamOptions {
  /** `host` or `host:port` entries that may be private or loopback. */
  allowPrivateHosts?: readonly string[]
  /** The size limit of one decompressed answer. */
  bodyBytes?: number
  connectTimeoutMs?: number
  lookup?: Lookup
}

/**
 * A guarded `fetch` for streamed answers from untrusted addresses. Private addresses are refused as
 * in the guarded fetch; redirects are returned and never followed; the caller sets the timeout.
 */
export const createGuardedStream = ({
  allowPrivateHosts = [],
  bodyBytes = LIMITS.fetchBodyBytes,
  connectTimeoutMs = LIMITS.fetchTimeoutMs,
  lookup = lookUpAll,
}: GuardedStreamOptions = {}): Fetch => {
  const allowsPrivate = createPrivateHosts(allowPrivateHosts)
  let agent: Promise<Dispatcher> | undefined
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(input)
    const port = url.port || (url.protocol === 'https:' ? '443' : '80')
    const reason = refusalOfUrl(url, allowsPrivate(url.hostname, port))
    if (reason !== undefined) throw new StewardError('address_refused', { host: url.host, reason })
    if (body !== undefined && body !== null && typeof body !== 'string')
      throw new StewardError('invalid_input', { subject: 'body', reason: 'it is not a text' })
    agent ??= createGuardedAgent(allowsPrivate, lookup, connectTimeoutMs)
    const { fetch } = (await import('undici')).default
    const answer = await fetch(url, {
      method,
      headers: [...new Headers(headers)],
      ...(body ? { body } : {}),
      ...(signal ? { signal } : {}),
      redirect: 'manual',
      dispatcher: await agent,
    }).catch((thrown: unknown) => {
      signal?.throwIfAborted()
      const error = findTelling(thrown)
      if (error instanceof StewardError) throw error
      const failed = { service: url.host, reason: reasonOf(error) }
      throw new StewardError('upstream_failed', failed, thrown)
    })
    const { status, statusText } = answer
    const given = new Headers([...answer.headers])
    // These headers describe the compressed body, but this one is decompressed.
    given.delete('content-encoding')
    given.delete('content-length')
    const shown = answer.body === null ? null : limit(answer.body, bodyBytes, url.host)
    return new Response(shown, { status, statusText, headers: given })
  }
}

const refusalOfUrl = (url: URL, allowed: boolean): string | undefined => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `only http and https are fetched, not ${url.protocol}`
  return allowed || !isAddress(url.hostname) ? undefined : refusalOf(url.hostname)
}

/** Passes the bytes through up to a limit. */
const limit = (
  body: AsyncIterable<Uint8Array>,
  most: number,
  subject: string,
): ReadableStream<Uint8Array> => {
  const chunks = body[Symbol.asyncIterator]()
  let bytes = 0
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) return controller.close()
      bytes += value.length
      if (bytes > most) {
        await chunks.return?.()
        throw new StewardError('payload_too_large', { subject, bytes, limit: most })
      }
      controller.enqueue(value)
    },
    cancel: async () => {
      await chunks.return?.()
    },
  })
}
