import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { reasonOf, StewardError, toStewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { type Listening, listen, type ServerLimits } from './listen.ts'
import { hasBody } from './protection.ts'
import { type ErrorAnswer, hangUpAfter, sendError } from './send-error.ts'

/** The known parts of a refused request; undefined if the bytes were not a request. */
export type RefusedRequest = Pick<IncomingMessage, 'method' | 'url'>

export interface ServerPorts {
  host: string
  port: number
  limits: ServerLimits
  /** The setting that names the address, for errors. */
  setting: string
  fetch: Parameters<typeof getRequestListener>[0]
  /** Why a request must be refused; undefined if it may pass. */
  findRefusal?: (incoming: IncomingMessage) => StewardError | undefined
  toErrorAnswer: (error: StewardError, request?: RefusedRequest) => ErrorAnswer
  /** `kind` groups refusals whose error code is not specific enough. */
  onRefused?: (request: RefusedRequest, error: StewardError, kind?: string) => void
  onFailed: (request: RefusedRequest, error: StewardError) => void
  /** Ends open streams; called when a stop begins. */
  endStreams: () => void
  setTimer: StartTimer
}

export interface HttpServer extends Pick<Listening, 'hosts' | 'port' | 'connections'> {
  /** Ends streams, lets calls finish for up to `drainMs`, then closes every connection. */
  stop: (drainMs: number) => Promise<void>
}

/** Listens, refuses forbidden requests, and passes all others to `fetch`. */
export const startServer = async (ports: ServerPorts): Promise<HttpServer> => {
  const listener = getRequestListener(ports.fetch, {
    overrideGlobalObjects: false,
    // `hangUpAfter` does this earlier.
    autoCleanupIncoming: false,
    errorHandler: (thrown) => toResponse(ports.toErrorAnswer(explainMisfit(thrown))),
  })
  const inFlight = new Set<ServerResponse>()
  let isStopping = false
  let whenIdle: (() => void) | undefined

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    inFlight.add(outgoing)
    outgoing.once('close', () => {
      inFlight.delete(outgoing)
      if (inFlight.size === 0) whenIdle?.()
    })
    if (isStopping) outgoing.setHeader('connection', 'close')
    const refusal = ports.findRefusal?.(incoming)
    if (refusal !== undefined) {
      ports.onRefused?.(incoming, refusal)
      sendError(incoming, outgoing, ports.toErrorAnswer(refusal, incoming))
      return
    }
    if (hasBody(incoming)) hangUpAfter(incoming, outgoing)
    if (/^100-continue$/i.test(incoming.headers.expect ?? '')) outgoing.writeContinue()
    listener(incoming, outgoing).catch((thrown: unknown) => {
      ports.onFailed(incoming, new StewardError('internal', { reason: reasonOf(thrown) }, thrown))
      outgoing.destroy()
    })
  }
  const onGarbage = (thrown: Error, socket: Duplex): void => {
    // Some clients, for example Bun, open connections in reserve and send nothing on them.
    if (socket instanceof Socket && socket.bytesRead === 0) {
      socket.destroy()
      return
    }
    const { status, reason } = explainGarbage(thrown)
    const error = new StewardError('invalid_input', { subject: 'the request', reason })
    ports.onRefused?.(NO_REQUEST, error, `no request: ${status}`)
    if (socket.writable) sendOnSocket(socket, status, ports.toErrorAnswer(error))
    else socket.destroy()
  }
  const onDropped = (): void => {
    const reason = 'too many connections are open already'
    const error = new StewardError('invalid_input', { subject: 'the connection', reason })
    ports.onRefused?.(NO_REQUEST, error, 'connections')
  }

  const { host, port, limits, setting } = ports
  const listening = await listen({ host, port, limits, setting, onRequest, onGarbage, onDropped })
  return {
    hosts: listening.hosts,
    port: listening.port,
    connections: listening.connections,
    stop: async (drainMs) => {
      isStopping = true
      listening.close()
      ports.endStreams()
      if (inFlight.size > 0) {
        await new Promise<void>((resolve) => {
          const cancel = ports.setTimer(drainMs, resolve)
          whenIdle = () => {
            cancel()
            resolve()
          }
        })
      }
      listening.cut()
    },
  }
}

const NO_REQUEST: RefusedRequest = { method: '(none)', url: '' }

const toResponse = ({ status, headers, body }: ErrorAnswer): Response =>
  new Response(body, { status, headers })

/** A request whose `Host` is not a valid address never reaches `fetch`. */
const explainMisfit = (thrown: unknown): StewardError =>
  thrown instanceof RequestError
    ? new StewardError('invalid_input', { subject: 'the request', reason: thrown.message })
    : toStewardError(thrown)

const explainGarbage = (thrown: Error): { status: number; reason: string } => {
  const code = 'code' in thrown ? thrown.code : undefined
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, reason: 'its headers are too large' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, reason: 'it did not arrive completely in time' }
  return { status: 400, reason: 'it is not a complete HTTP request' }
}

const sendOnSocket = (socket: Duplex, status: number, { headers, body }: ErrorAnswer): void => {
  const lines = Object.entries({
    ...headers,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
  })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`,
    () => socket.destroy(),
  )
}
