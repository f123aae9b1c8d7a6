import type { IncomingMessage, ServerResponse } from 'node:http'

/** An error as sent by a server. */
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
 * Drains the rest of a body after the answer was sent. Closing immediately would discard an answer
 * that the caller, still sending, has not read; so a limited amount is read and dropped. A
 * keep-alive connection stays open if the body ends within these limits; any other is closed.
 */
export const hangUpAfter = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  outgoing.once('finish', () => {
    const { socket } = incoming
    if (incoming.complete || socket.destroyed) return
    const staysOpen = outgoing.shouldKeepAlive
    let bytes = 0
    const close = () => {
      clearTimeout(timer)
      socket.destroy()
    }
    const timer = setTimeout(close, LINGER_MS)
    timer.unref()
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > LINGER_BYTES) close()
    })
    incoming.once('end', staysOpen ? () => clearTimeout(timer) : close).once('error', close)
    incoming.resume()
    if (!staysOpen) socket.end()
  })
}
