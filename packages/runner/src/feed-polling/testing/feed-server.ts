import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'

export interface SeenRequest {
  path: string
  headers: IncomingHttpHeaders
}

export interface FeedServer {
  origin: string
  /** Every request, in order. */
  seen: SeenRequest[]
  /** The maximum number of concurrent requests. */
  mostAtOnce: () => number
  close: () => void
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void

/** A loopback server of feeds. */
export const serveFeeds = async (answer: Answer): Promise<FeedServer> => {
  const seen: SeenRequest[] = []
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    const each = { path: request.url ?? '', headers: request.headers }
    seen.push(each)
    open++
    most = Math.max(most, open)
    response.on('close', () => {
      open--
    })
    answer(each, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    seen,
    mostAtOnce: () => most,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An RSS feed with one item for each name. */
export const rss = (names: readonly string[], extra = ''): string =>
  `<rss version="2.0"><channel><title>Feed</title>${extra}${names
    .map(
      (name) =>
        `<item><guid>${name}</guid><title>Title ${name}</title><link>https://example.test/${name}</link>` +
        `<description>${`Text of ${name}. `.repeat(20)}</description></item>`,
    )
    .join('')}</channel></rss>`
