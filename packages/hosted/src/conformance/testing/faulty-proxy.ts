import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/**
 * Network faults. `refuse`: the request does not arrive. `lose`: it arrives and its response is
 * lost. `cut`: the connection breaks as well.
 */
export type Fault = 'refuse' | 'lose' | 'cut'

export interface FaultyProxy {
  address: string
  /** Faults for the next requests; later ones are forwarded. */
  failNext(status: number, ...faults: Fault[]): void
  /** Method and the client's own attempt count of each request, such as `POST 0`. */
  attempts: string[]
  stop(): Promise<void>
}

/** Sits between client and server and behaves like a faulty proxy or network. */
export const startFaultyProxy = async (target: string): Promise<FaultyProxy> => {
  const attempts: string[] = []
  let status = 529
  let next: Fault[] = []
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const fault = next.shift()
    attempts.push(`${method} ${String(headers['x-stainless-retry-count'])}`)
    const passed = fault === 'refuse' ? undefined : await pass(target + url, incoming, chunks)
    if (fault === 'cut') outgoing.destroy()
    else if (fault !== undefined || passed === undefined)
      // Clients obey any stated delay, so this keeps the tests fast.
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
    failNext: (given, ...faults) => {
      status = given
      next = faults
      attempts.length = 0
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Headers of one connection, which a proxy must not forward. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'transfer-encoding'])

const pass = (url: string, incoming: IncomingMessage, chunks: Uint8Array[]): Promise<Response> => {
  const headers = Object.entries(incoming.headers).filter(([name]) => !OWN_HEADERS.has(name))
  return fetch(url, {
    method: incoming.method ?? 'GET',
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
  })
}
