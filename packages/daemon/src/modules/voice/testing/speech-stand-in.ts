import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

export interface SeenRequest {
  method: string | undefined
  path: string | undefined
  headers: Record<string, unknown>
  /** The exact body. */
  body: string
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A speech service on loopback that records requests and answers as the test configures. */
export const openSpeechStandIn = async (answer: Answer) => {
  const seen: SeenRequest[] = []
  let current = answer
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url: path, headers } = request
    seen.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') })
    current(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const place = server.address()
  if (place === null || typeof place === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${place.port}`,
    seen,
    answerWith: (next: Answer) => {
      current = next
    },
  }
}
