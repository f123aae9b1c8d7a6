import type { IncomingMessage, ServerResponse } from 'node:http'

/** An error as a server sends it. */
export interface ErrorAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

const LINGER_MS = 500
const LINGER_BYTES = 1024 * 1024

/** Answers before the request is processed, and closes the connection. */
export const sendError = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: ErrorAnswer,
): void => {
  hangUpAfter(incoming, outgoing)
  outgoing.writeHead(status, { ...headers, connection: 'close' })
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
}

/**
 * Ends the connection once the answer is out when the body was not read to its end. Closing at once
 * would throw away an answer that the caller, still sending, has not read; so a little more is read
 * and forgotten, and no more than a little.
 */
export const hangUpAfter = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  outgoing.once('finish', () => {
    const { socket } = incoming
    if (incoming.complete || socket.destroyed) return
    let bytes = 0
    const end = () => {
      clearTimeout(timer)
      socket.destroy()
    }
    const timer = setTimeout(end, LINGER_MS)
    timer.unref()
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > LINGER_BYTES) end()
    })
    incoming.once('end', end).once('error', end)
    incoming.resume()
    socket.end()
  })
}
