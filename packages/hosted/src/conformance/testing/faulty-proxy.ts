import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/**
 * What goes wrong with a request on its way. `refuse`: it does not get there. `lose`: it gets there
 * and its answer does not get back. `cut`: so does the connection.
 */
export type Mishap = 'refuse' | 'lose' | 'cut'

export interface FaultyProxy {
  address: string
  /** What befalls the next requests; those after them are passed on. */
  befall(status: number, ...mishaps: Mishap[]): void
  /** `POST 0`: method and the client's own count of attempts, for each request that came. */
  attempts: string[]
  stop(): Promise<void>
}

/** Stands between a client and a server, as proxies and bad networks do. */
export const startFaultyProxy = async (target: string): Promise<FaultyProxy> => {
  const attempts: string[] = []
  let status = 529
  let next: Mishap[] = []
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const mishap = next.shift()
    attempts.push(`${method} ${String(headers['x-stainless-retry-count'])}`)
    const passed = mishap === 'refuse' ? undefined : await pass(target + url, incoming, chunks)
    if (mishap === 'cut') outgoing.destroy()
    else if (mishap !== undefined || passed === undefined)
      // Any wait that is named is obeyed, so that nobody waits for long.
      outgoing.writeHead(status, { 'retry-after-ms': '1' }).end('{}')
    else
      outgoing
        .writeHead(passed.status, Object.fromEntries(passed.headers))
        .end(Buffer.from(await passed.arrayBuffer()))
  }
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(server.address())
  return {
    address: `http://127.0.0.1:${port}`,
    attempts,
    befall: (given, ...mishaps) => {
      status = given
      next = mishaps
      attempts.length = 0
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Of one connection, not of what is said over it. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

const pass = (url: string, incoming: IncomingMessage, chunks: Uint8Array[]): Promise<Response> => {
  const headers = Object.entries(incoming.headers).filter(([name]) => !OWN_HEADERS.has(name))
  return fetch(url, {
    method: incoming.method ?? 'GET',
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  })
}
