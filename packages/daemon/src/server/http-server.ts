import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { reasonOf, StewardError } from '@steward/contract'
import { type AppPorts, createApp } from './app.ts'
import { findRefusal, hasBody } from './checks/find-refusal.ts'
import { toErrorAnswer } from './error-answer.ts'
import { type Listening, listen, type ServerLimits } from './listen.ts'
import type { SetTimer } from './module-runner.ts'
import { hangUpAfter, sendError } from './send-error.ts'

export interface HttpServerPorts extends Omit<AppPorts, 'stopping'> {
  host: string
  port: number
  limits?: ServerLimits
  setTimer: SetTimer
}

export interface HttpServer extends Pick<Listening, 'hosts' | 'port' | 'connections'> {
  /** Ends streams, lets calls finish for as long as `drainMs`, then ends what is left. */
  stop: (drainMs: number) => Promise<void>
}

/** The daemon's HTTP server: what may not come in is refused before anything is made of it. */
export const startHttpServer = async (ports: HttpServerPorts): Promise<HttpServer> => {
  const streams = new AbortController()
  const calls = new AbortController()
  const app = createApp({ ...ports, stopping: { streams: streams.signal, calls: calls.signal } })
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // Done by `hangUpAfter`, sooner.
    autoCleanupIncoming: false,
  })
  const routes = new Map(
    ports.served.map(({ handler: { route } }) => [`${route.method} ${route.path}`, route]),
  )
  /** The route that was meant, where its path says so by itself: its errors have a form of their own. */
  const routeOf = ({ method = '', url = '' }: IncomingMessage) =>
    routes.get(`${method} ${url.split('?', 1)[0]}`)
  const inFlight = new Set<ServerResponse>()
  let whenIdle: (() => void) | undefined

  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    inFlight.add(outgoing)
    outgoing.once('close', () => {
      inFlight.delete(outgoing)
      if (inFlight.size === 0) whenIdle?.()
    })
    if (streams.signal.aborted) outgoing.setHeader('connection', 'close')
    const refusal = findRefusal(incoming)
    if (refusal !== undefined) {
      ports.refusals.note(incoming, refusal)
      sendError(incoming, outgoing, toErrorAnswer(refusal, ports.homeRoot, routeOf(incoming)))
      return
    }
    if (hasBody(incoming)) hangUpAfter(incoming, outgoing)
    if (incoming.headers.expect !== undefined) outgoing.writeContinue()
    listener(incoming, outgoing).catch((thrown: unknown) => {
      const error = new StewardError('internal', { reason: reasonOf(thrown) }, thrown)
      ports.failures.note(incoming, error)
      outgoing.destroy()
    })
  }
  const onGarbage = (thrown: Error, socket: Duplex): void => {
    const { status, reason } = explainGarbage(thrown)
    const error = new StewardError('invalid_input', { subject: 'the request', reason })
    ports.refusals.note({ method: '(none)', url: '' }, error, `no request: ${status}`)
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const { body, headers } = toErrorAnswer(error, ports.homeRoot)
    const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n${lines
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n${body}`,
      () => socket.destroy(),
    )
  }
  const onDropped = (): void => {
    const reason = 'as many as may be are open already'
    const error = new StewardError('invalid_input', { subject: 'the connection', reason })
    ports.refusals.note({ method: '(none)', url: '' }, error, 'connections')
  }

  const { host, port, limits } = ports
  const listening = await listen({
    host,
    port,
    onRequest,
    onGarbage,
    onDropped,
    ...(limits === undefined ? {} : { limits }),
  })
  return {
    hosts: listening.hosts,
    port: listening.port,
    connections: listening.connections,
    stop: async (drainMs) => {
      listening.close()
      streams.abort()
      if (inFlight.size > 0) {
        await new Promise<void>((resolve) => {
          const cancel = ports.setTimer(drainMs, resolve)
          whenIdle = () => {
            cancel()
            resolve()
          }
        })
      }
      calls.abort()
      listening.cut()
    },
  }
}

const explainGarbage = (thrown: Error): { status: number; reason: string } => {
  const code = 'code' in thrown ? thrown.code : undefined
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, reason: 'its headers are too large' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, reason: 'it did not arrive whole in time' }
  }
  return { status: 400, reason: 'it is no HTTP request' }
}
