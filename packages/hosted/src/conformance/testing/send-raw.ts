import { Agent, request } from 'node:http'
import type { GeneratedRequest } from './generate-requests.ts'

export interface RawAnswer {
  status: number
  requestId: string | undefined
  type: string
  text: string
}

/** Reuses connections, because a server that miscounts bytes answers the next request wrongly. */
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

/**
 * Sends a request unchanged, without the sanitising of `fetch`; of a stream it reads only the
 * headers.
 */
export const sendRaw = (
  address: string,
  { method, path, headers, body }: GeneratedRequest,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address)
    const content = body === undefined ? undefined : Buffer.from(body)
    const sent = request(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: {
          ...headers,
          ...(content === undefined ? {} : { 'content-length': content.length }),
        },
      },
      (response) => {
        const { 'request-id': requestId, 'content-type': type = '' } = response.headers
        const status = response.statusCode ?? 0
        const head = { status, type, requestId: requestId?.toString() }
        if (type.startsWith('text/event-stream')) {
          response.destroy()
          resolve({ ...head, text: '' })
          return
        }
        const chunks: Uint8Array[] = []
        response.on('data', (chunk: Uint8Array) => chunks.push(chunk))
        response.once('end', () => resolve({ ...head, text: Buffer.concat(chunks).toString() }))
        response.once('error', reject)
      },
    )
    sent.once('error', reject)
    sent.end(content)
  })
