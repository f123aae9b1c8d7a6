import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Fixed by the WebSocket protocol. */
const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT_FRAME = 0x81
const CLOSE_FRAME = 0x88

export interface TailConnection {
  send: (event: unknown) => void
  /** Closes it as the platform does when a tail's time is over. */
  close: () => void
}

/** Accepts a WebSocket and lets a test send through it. */
export const serveTail = (request: IncomingMessage, socket: Duplex): TailConnection => {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}${HANDSHAKE}`)
    .digest('base64')
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      `Sec-WebSocket-Protocol: ${request.headers['sec-websocket-protocol']}`,
      '\r\n',
    ].join('\r\n'),
  )
  const frame = (kind: number, payload: Uint8Array) => {
    const length = Buffer.from([payload.length >> 8, payload.length & 0xff])
    const head =
      payload.length < 126
        ? Buffer.from([kind, payload.length])
        : Buffer.concat([Buffer.from([kind, 126]), length])
    socket.write(Buffer.concat([head, payload]))
  }
  const close = () => {
    frame(CLOSE_FRAME, Buffer.from([0x03, 0xe8]))
    socket.end()
  }
  // Only the closing frame of a client matters here.
  socket.on('data', (chunk: Uint8Array) => {
    if (chunk[0] === CLOSE_FRAME) close()
  })
  socket.on('error', () => socket.destroy())
  return { send: (event) => frame(TEXT_FRAME, Buffer.from(JSON.stringify(event))), close }
}
