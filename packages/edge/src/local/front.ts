import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http'
import { reasonOf, StewardError, toStewardError } from '@steward/contract'
import { codeOf } from '@steward/platform'

/** The destination of one request. */
export type Destination = { host: string; port: number } | { socketPath: string }

export interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

export interface Front {
  port: number
  /** Accepts nothing new; resolves when requests in progress have ended. */
  close(): Promise<void>
  /** Also ends requests in progress. */
  abort(): void
}

/** The platform's maximum request size; a worker's own limit is lower. */
export const REQUEST_BYTES = 100_000_000

/**
 * A new connection for every request: workerd closes idle ones, and a request on a connection that is
 * just being closed fails.
 */
const agent = new Agent({ keepAlive: false, maxSockets: 512 })

/** How many other ports are tried. */
const SPARE_PORTS = 100
const HIGHEST_PORT = 65_535

/** Opens the port, or the first free one from `spare` on: one busy port must not stop all workers. */
export const openFreeFront = async (
  port: number,
  spare: number,
  worker: string,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<Front> => {
  for (let next = port, tried = 0; ; next = spare + tried++) {
    try {
      return await openFront(next, worker, handle)
    } catch (thrown) {
      const isTaken = thrown instanceof StewardError && isBusy(thrown.cause)
      if (!isTaken || tried >= SPARE_PORTS || next >= HIGHEST_PORT) throw thrown
    }
  }
}

/**
 * The address of one worker, which stays while the process behind it is replaced. Port 0 selects a
 * free one.
 */
export const openFront = (
  port: number,
  worker: string,
  handle: (exchange: Exchange) => Promise<void>,
): Promise<Front> =>
  new Promise((resolve, reject) => {
    let isClosing = false
    const server = createServer((incoming, outgoing) => {
      // A keep-alive connection would keep the server open.
      outgoing.once('close', () => {
        if (isClosing) server.closeIdleConnections()
      })
      handle({ incoming, outgoing }).catch((thrown: unknown) =>
        answerError(outgoing, toStewardError(thrown, 'upstream_failed', { service: worker })),
      )
    })
    server.keepAliveTimeout = 65_000
    server.once('error', (thrown) => reject(toPortError(port, worker, thrown)))
    server.listen({ host: '127.0.0.1', port }, () =>
      resolve({
        port: portOf(server) ?? port,
        close: () =>
          new Promise((done) => {
            isClosing = true
            server.close(() => done())
            server.closeIdleConnections()
          }),
        abort: () => {
          server.close()
          server.closeAllConnections()
        },
      }),
    )
  })

const portOf = (server: Server): number | undefined => {
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}

/** Forwards a request and its response, both streaming; resolves when the response is sent. */
export const forward = (
  { incoming, outgoing }: Exchange,
  destination: Destination,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const declared = Number(incoming.headers['content-length'] ?? 0)
    if (declared > REQUEST_BYTES) return reject(tooLarge(declared))
    // The client may have disconnected while it was held back, and there will be no further event.
    if (outgoing.destroyed) return resolve()
    const options: RequestOptions = {
      ...destination,
      agent,
      method: incoming.method,
      path: incoming.url,
      headers: incoming.headers,
    }
    const request = httpRequest(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(outgoing)
      response.once('error', reject)
      outgoing.once('close', () => {
        if (!response.complete) request.destroy()
        resolve()
      })
    })
    request.once('error', reject)
    outgoing.once('close', () => {
      if (!outgoing.writableEnded) request.destroy()
    })
    let received = 0
    incoming.on('data', (chunk: Uint8Array) => {
      received += chunk.length
      if (received > REQUEST_BYTES) request.destroy(tooLarge(received))
    })
    incoming.pipe(request)
  })

const answerError = (outgoing: ServerResponse, error: StewardError): void => {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy()
    return
  }
  outgoing.writeHead(error.status, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(error.toBody()))
}

const tooLarge = (bytes: number): StewardError =>
  new StewardError('payload_too_large', { subject: 'the body', bytes, limit: REQUEST_BYTES })

const isBusy = (thrown: unknown): boolean => codeOf(thrown) === 'EADDRINUSE'

const toPortError = (port: number, worker: string, thrown: unknown): StewardError => {
  const reason = isBusy(thrown)
    ? `another program listens there, and ${worker} needs it; choose other ports with --port`
    : reasonOf(thrown)
  return new StewardError('invalid_input', { subject: `port ${port}`, reason }, thrown)
}
