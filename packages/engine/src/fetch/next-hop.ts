import { StewardError } from '@steward/contract'

/** One request of a redirect chain. */
export interface Hop {
  url: URL
  method: string
  headers: Headers
  body: Uint8Array<ArrayBuffer> | undefined
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization', 'host']
const BODY_HEADERS = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]

export const isRedirect = (status: number, location: string | null): location is string =>
  REDIRECTS.has(status) && location !== null

/**
 * The request after a redirect, by the fetch standard: POST becomes GET on 301 and 302, everything
 * but GET and HEAD on 303, and credentials stay with their origin.
 */
export const nextHop = (hop: Hop, status: number, location: string): Hop => {
  const url = resolveLocation(hop.url, location)
  const headers = new Headers(hop.headers)
  if (url.origin !== hop.url.origin) for (const name of CREDENTIALS) headers.delete(name)
  if (!becomesGet(hop.method, status)) return { ...hop, url, headers }
  for (const name of BODY_HEADERS) headers.delete(name)
  return { url, method: 'GET', headers, body: undefined }
}

const becomesGet = (method: string, status: number): boolean => {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

const resolveLocation = (from: URL, location: string): URL => {
  const url = URL.parse(location, from)
  if (url === null) {
    throw new StewardError('upstream_failed', {
      service: from.host,
      reason: `it redirects to ${JSON.stringify(location)}, which is not an address`,
    })
  }
  // Credentials in a redirect would be sent to a host that the redirecting server chose.
  url.username = ''
  url.password = ''
  return url
}
