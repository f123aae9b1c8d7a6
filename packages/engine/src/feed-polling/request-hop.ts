import { type Fetch, LIMITS } from '@steward/contract'
import { withTimeLimit } from '../action/time-limit.ts'
import { readCapped } from '../fetch/read-capped.ts'
import type { HostGate } from './host-gate.ts'

/** A response with its body read. */
export interface Answer {
  status: number
  headers: Headers
  body: Uint8Array<ArrayBuffer>
}

export interface RequestPorts {
  /** Must not follow redirects (`redirect: 'manual'`). */
  fetch: Fetch
  gate: HostGate
  timeoutMs: number
  signal: AbortSignal | undefined
}

/**
 * One request without following redirects: the only one at its host, within the time and size
 * limits.
 */
export const requestHop = (
  url: URL,
  headers: Record<string, string>,
  { fetch, gate, timeoutMs, signal }: RequestPorts,
): Promise<Answer> =>
  gate(url.host, () =>
    withTimeLimit(`fetching ${url.host}`, timeoutMs, signal, async (limited) => {
      const response = await fetch(url, {
        headers,
        redirect: 'manual',
        signal: limited(),
        timeoutMs,
      })
      const { status } = response
      return { status, headers: response.headers, body: await readBody(response, url) }
    }),
  )

/** Only the beginning of a response that is not a feed is inspected. */
const GLANCE_BYTES = 64 * 1024

const readBody = async (response: Response, url: URL): Promise<Uint8Array<ArrayBuffer>> => {
  if (response.body === null) return new Uint8Array()
  if (response.ok) {
    return readCapped(response.body, LIMITS.fetchBodyBytes, url.host + url.pathname)
  }
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= GLANCE_BYTES) break
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}
