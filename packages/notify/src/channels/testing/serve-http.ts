import { serveLoopback } from '@steward/platform/testing'
import { onTestFinished } from 'vitest'

export interface ReceivedPost {
  method: string
  path: string
  /** Header names as sent, with their values. */
  headers: ReadonlyArray<readonly [string, string]>
  body: Buffer
}

export interface HttpStandIn {
  address: string
  posts: ReceivedPost[]
  /** The answer to the next requests; 200 by default. */
  answer: { status: number; headers?: Record<string, string>; hang?: boolean }
}

/** A service on loopback for one test; records everything it receives. */
export const serveHttp = async (): Promise<HttpStandIn> => {
  const posts: ReceivedPost[] = []
  const standIn: HttpStandIn = { address: '', posts, answer: { status: 200 } }
  const { url: address, close } = await serveLoopback((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { rawHeaders } = request
      const headers = rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as const] : [],
      )
      const { method = '', url = '' } = request
      posts.push({ method, path: url, headers, body: Buffer.concat(chunks) })
      if (standIn.answer.hang) return
      response.writeHead(standIn.answer.status, standIn.answer.headers).end('{"ok":true}')
    })
  })
  onTestFinished(close)
  standIn.address = address
  return standIn
}

/** Headers that `fetch` and HTTP itself add. */
const USUAL = /^(host|connection|accept.*|sec-fetch-mode|user-agent|content-length)$/i

/** Only the headers that we set. */
export const ownHeaders = ({ headers }: ReceivedPost): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => !USUAL.test(name)))
