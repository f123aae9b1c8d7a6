import { connect } from 'node:net'

/** Sends raw bytes and returns everything received until the connection closes. */
export const sendRaw = (
  port: number,
  bytes: string | Uint8Array,
  host = '127.0.0.1',
): Promise<string> =>
  new Promise((resolve) => {
    const parts: Buffer[] = []
    const socket = connect({ port, host })
    const end = () => resolve(Buffer.concat(parts).toString('latin1'))
    socket.on('data', (chunk) => parts.push(chunk))
    socket.on('close', end)
    // The server may close the connection; earlier data counts.
    socket.on('error', end)
    socket.write(bytes)
  })

export interface RawRequest {
  method?: string
  target: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

/** One request with exactly these headers; the connection closes afterwards. */
export const rawRequest = ({
  method = 'GET',
  target,
  headers = {},
  body = '',
}: RawRequest): string =>
  [
    `${method} ${target} HTTP/1.1`,
    ...Object.entries({ connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
