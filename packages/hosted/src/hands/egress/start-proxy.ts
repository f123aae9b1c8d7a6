import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { answerRefusal, forwardRequest, type Route } from './forward-request.ts'
import { forwardUpgrade } from './forward-upgrade.ts'
import { dialNoted, type ProxyContext, refusalFrom } from './proxy-context.ts'
import { endWith, relay } from './relay.ts'
import { secretsFor } from './secrets.ts'
import { parseTarget, type Target } from './target.ts'

const HEADER_BYTES = 64 * 1024
const TLS_PORT = 443

/** The proxy as a server that does not listen yet. */
export const createProxy = (context: ProxyContext): Server => {
  const terminated = createTerminated(context)
  const server = createServer({ maxHeaderSize: HEADER_BYTES, requestTimeout: 0 })
  server.timeout = context.limits.idleMs
  server.maxConnections = context.limits.connections
  server.on('drop', () => {
    const reason = `more than ${context.limits.connections} connections at a time`
    context.note({ host: '', port: 0, way: 'tunnel', allowed: false, reason, credentials: [] })
  })
  server.on('request', (incoming, response) => forwardPlain(incoming, response, context))
  server.on('upgrade', (_, inner: Duplex) =>
    endWith(inner, { status: 403, reason: 'use CONNECT for anything but plain HTTP' }),
  )
  server.on('connect', (incoming: IncomingMessage, inner: Duplex, head: Buffer) => {
    openTunnel(incoming, inner, head, context, terminated).catch((thrown: unknown) =>
      endWith(inner, refusalFrom(thrown)),
    )
  })
  return server
}

const forwardPlain = (
  incoming: IncomingMessage,
  response: ServerResponse,
  context: ProxyContext,
): void => {
  const url = URL.parse(incoming.url ?? '')
  const target = url?.protocol === 'http:' ? targetOf(context, url.host, 80) : undefined
  if (url === null || target === undefined) {
    const reason = 'this is a proxy: it accepts CONNECT and absolute http:// addresses'
    answerRefusal(response, { status: 403, reason })
    return
  }
  const { allowed, reason } = context.rules(target.host, target.port)
  if (!allowed) {
    context.note({ ...target, way: 'http', allowed, reason, credentials: [] })
    answerRefusal(response, { status: 403, reason })
    return
  }
  // Secrets are only inserted into encrypted connections.
  const path = url.pathname + url.search
  forwardRequest(
    incoming,
    response,
    { ...target, protocol: 'http', path, reason, secrets: [] },
    context,
  )
}

/** An address that stands for a name inside is that name outside. */
const targetOf = (
  { addresses }: ProxyContext,
  authority: string,
  defaultPort?: number,
): Target | undefined => {
  const target = parseTarget(authority, defaultPort)
  return target && { ...target, host: addresses.find(target.host) ?? target.host }
}

const openTunnel = async (
  incoming: IncomingMessage,
  inner: Duplex,
  head: Buffer,
  context: ProxyContext,
  terminated: Terminated,
): Promise<void> => {
  // A program inside that disconnects is not worth reporting.
  inner.on('error', () => inner.destroy())
  const target = targetOf(context, incoming.url ?? '')
  if (target === undefined) {
    return endWith(inner, { status: 403, reason: 'CONNECT needs a host and a port' })
  }
  const { allowed, reason } = context.rules(target.host, target.port)
  if (!allowed) {
    context.note({ ...target, way: 'tunnel', allowed, reason, credentials: [] })
    return endWith(inner, { status: 403, reason })
  }
  if (isTerminated(target, context)) {
    inner.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) inner.unshift(head)
    return terminated.accept(inner, target, reason)
  }
  const opened = await dialNoted(context, target, { way: 'tunnel', reason, credentials: [] })
  if ('refusal' in opened) return endWith(inner, opened.refusal)
  inner.write('HTTP/1.1 200 Connection established\r\n\r\n')
  if (head.length > 0) opened.socket.write(head)
  relay(inner, opened.socket, context)
}

/**
 * Terminates TLS only where a secret may be sent; a host given as an address has no name to
 * certify.
 */
const isTerminated = ({ host, port }: Target, { secrets }: ProxyContext): boolean =>
  port === TLS_PORT && isIP(host) === 0 && secretsFor(secrets, host).length > 0

interface Terminated {
  accept(inner: Duplex, target: Target, reason: string): void
}

/** The server that impersonates hosts of credentials for tunnelled connections. */
const createTerminated = (context: ProxyContext): Terminated => {
  const targets = new WeakMap<object, { target: Target; reason: string }>()
  const routeOf = (incoming: IncomingMessage): Route | undefined => {
    const known = targets.get(incoming.socket)
    if (known === undefined || !incoming.url?.startsWith('/')) return
    const { target, reason } = known
    const named = parseTarget(incoming.headers.host ?? '', TLS_PORT)
    if (named?.host !== target.host) return
    const secrets = secretsFor(context.secrets, target.host)
    return { ...target, protocol: 'https', path: incoming.url, reason, secrets }
  }
  const misdirected = {
    status: 403,
    reason: 'the request names another host than the connection',
  } as const
  const server = createServer({ maxHeaderSize: HEADER_BYTES, requestTimeout: 0 })
  server.timeout = context.limits.idleMs
  server.on('request', (incoming, response) => {
    const route = routeOf(incoming)
    if (route === undefined) return answerRefusal(response, misdirected)
    forwardRequest(incoming, response, route, context)
  })
  server.on('upgrade', (incoming: IncomingMessage, inner: Duplex, head: Buffer) => {
    const route = routeOf(incoming)
    if (route === undefined) return endWith(inner, misdirected)
    forwardUpgrade(incoming, inner, head, route, context).catch((thrown: unknown) =>
      endWith(inner, refusalFrom(thrown)),
    )
  })
  return {
    accept: (inner, target, reason) => {
      const { authority } = context
      if (authority === undefined) return inner.destroy()
      const secured = new TLSSocket(inner, {
        isServer: true,
        secureContext: authority.contextFor(target.host),
        ALPNProtocols: ['http/1.1'],
      })
      secured.once('error', (thrown: Error) => {
        inner.destroy()
        const why = `TLS with the program inside failed: ${thrown.message}`
        context.note({ ...target, way: 'terminated', allowed: true, reason: why, credentials: [] })
      })
      targets.set(secured, { target, reason })
      server.emit('connection', secured)
    },
  }
}
