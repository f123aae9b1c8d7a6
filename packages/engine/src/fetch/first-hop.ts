import { reasonOf, StewardError } from '@steward/contract'
import type { Hop } from './next-hop.ts'

/**
 * The first request of a fetch. `Request` does the standard's checks and sets a body's content
 * type; because it rejects `user:password@`, those become a header.
 */
export const firstHop = async (input: string | URL, init: RequestInit): Promise<Hop> => {
  const url = URL.parse(String(input))
  if (url === null) {
    const reason = `${JSON.stringify(String(input))} is not an absolute address such as https://example.com/`
    throw new StewardError('invalid_input', { subject: 'fetch', reason })
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  try {
    const { signal: _, ...rest } = init
    const request = new Request(url, rest)
    const headers = new Headers(request.headers)
    if ((username || password) && !headers.has('authorization')) {
      headers.set('authorization', basicCredentials(username, password))
    }
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    return { url, method: request.method, headers, body }
  } catch (thrown) {
    throw new StewardError('invalid_input', { subject: 'fetch', reason: reasonOf(thrown) }, thrown)
  }
}

const basicCredentials = (username: string, password: string): string => {
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(pair)))}`
}
