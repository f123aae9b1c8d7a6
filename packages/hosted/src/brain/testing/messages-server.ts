import { createServer, type IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'

/** A request as it arrived at the model server's stand-in. */
export interface Asked {
  path: string
  headers: IncomingHttpHeaders
  body: Record<string, unknown>
}

export type Answer =
  | { type: 'events'; events: readonly Record<string, unknown>[]; hangs?: true }
  | { type: 'status'; status: number; headers?: Record<string, string>; body: unknown }

export interface ModelServer {
  url: string
  asked: Asked[]
  close(): Promise<void>
}

const fields = z.record(z.string(), z.unknown())

/** A server on loopback that answers in order; `named` puts an `event:` line into each frame. */
export const serveAnswers = async (
  answers: readonly Answer[],
  { named }: { named: boolean },
): Promise<ModelServer> => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const body = fields.parse(JSON.parse(Buffer.concat(chunks).toString()))
    const answer = answers[asked.length]
    asked.push({ path: request.url ?? '', headers: request.headers, body })
    if (answer === undefined || answer.type === 'status') {
      response.writeHead(answer?.status ?? 500, {
        'content-type': 'application/json',
        ...answer?.headers,
      })
      response.end(JSON.stringify(answer?.body ?? {}))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of answer.events)
      response.write(
        `${named ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
      )
    if (answer.hangs) return
    response.end(named ? '' : 'data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
