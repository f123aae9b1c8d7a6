import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

interface JsonCall {
  path: string
  authorization: string | undefined
  body: string
}

/** The service of another vendor on loopback; what `answer` throws is status 401. */
export const serveJson = async (
  answer: (call: JsonCall) => unknown,
): Promise<{ url: string; stop(): Promise<void> }> => {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { url: path = '', headers } = incoming
    const body = Buffer.concat(chunks).toString()
    try {
      const found = answer({ path, authorization: headers.authorization, body })
      outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(found))
    } catch (thrown) {
      outgoing.writeHead(401).end(String(thrown))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = z.custom<AddressInfo>().parse(server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
