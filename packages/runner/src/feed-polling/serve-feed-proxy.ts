import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { reasonOf, StewardError } from '@steward/contract'

export interface ServedProxy {
  origin: string
  close: () => Promise<void>
}

/** Serves a handler of requests without bodies. */
export const serveFeedProxy = async (
  handle: (request: Request) => Promise<Response>,
  { host, port }: { host: string; port: number },
): Promise<ServedProxy> => {
  // Imported on demand: it loads more than most commands need.
  const { createServer } = await import('node:http')
  const server = createServer((incoming, outgoing) => {
    // Only a broken connection gets here, so no response is possible.
    pass(handle, incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (thrown) {
    const reason = `cannot listen on ${host}:${port}: ${reasonOf(thrown)}`
    throw new StewardError('not_configured', { subject: 'the feed proxy', reason }, thrown)
  }
  const address = server.address()
  const usedPort = typeof address === 'object' && address !== null ? address.port : port
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${usedPort}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** For receiving a request; responding has its own limit. */
const REQUEST_TIMEOUT_MS = 10_000

const pass = async (
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  const left = new AbortController()
  outgoing.on('close', () => left.abort())
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const url = URL.parse(incoming.url ?? '/', 'http://proxy')
  const { method = 'GET' } = incoming
  if (url === null || ['CONNECT', 'TRACE', 'TRACK'].includes(method)) {
    outgoing.writeHead(400).end()
    return
  }
  const response = await handle(new Request(url, { method, headers, signal: left.signal }))
  const body = new Uint8Array(await response.arrayBuffer())
  outgoing.writeHead(response.status, [...response.headers].flat()).end(body)
}
