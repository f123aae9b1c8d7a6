import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { StewardError } from '@steward/contract'

/** Limits per client: time, headers, connections. */
export interface ServerLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  keepAliveTimeoutMs: number
  checkIntervalMs: number
  maxHeaderBytes: number
  /** Infinity if streams are limited instead. */
  maxConnections: number
}

export const SERVER_LIMITS: ServerLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5000,
  checkIntervalMs: 1000,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 1024,
}

export interface Listening {
  /** As in a URL: `[::1]` has brackets. */
  hosts: string[]
  port: number
  connections: () => Promise<number>
  /** Accepts no new connections; idle ones are closed. */
  close: () => void
  /** Closes all remaining connections. */
  cut: () => void
}

export interface ListenOptions {
  host: string
  port: number
  limits?: ServerLimits
  /** The setting that names the address, for errors. */
  setting: string
  onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void
  /** Called for bytes that are not a request, or a request that did not arrive in time. */
  onGarbage: (error: Error, socket: Duplex) => void
  onDropped: () => void
}

const LOOPBACK = ['127.0.0.1', '::1']
/** Attempts to find another free port if the system chooses it. */
const PORT_ATTEMPTS = 10

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/**
 * Listens on the configured address: the usual loopback address on both families, because
 * `localhost` may mean either; the second only if the machine has it. Throws `port_busy` if the
 * port is taken.
 */
export const listen = async (options: ListenOptions): Promise<Listening> => {
  const addresses =
    options.host === '127.0.0.1' || options.host === 'localhost' ? LOOPBACK : [options.host]
  for (let attempt = 1; ; attempt++) {
    try {
      return await listenOn(addresses, options)
    } catch (thrown) {
      const isTaken = thrown instanceof StewardError && thrown.code === 'port_busy'
      if (!isTaken || options.port !== 0 || attempt === PORT_ATTEMPTS) throw thrown
    }
  }
}

const listenOn = async (
  addresses: readonly string[],
  options: ListenOptions,
): Promise<Listening> => {
  const servers: { server: Server; address: string }[] = []
  let { port } = options
  const close = () => {
    for (const { server } of servers) {
      server.close()
      server.closeIdleConnections()
    }
  }
  try {
    for (const address of addresses) {
      const server = createHttpServer(options)
      const found = await bind(server, address, port, options.setting)
      if (found === 'no such address') {
        if (servers.length > 0) continue
        const reason = `this machine has no address ${address}`
        throw new StewardError('not_configured', { subject: options.setting, reason })
      }
      port = found
      servers.push({ server, address })
    }
  } catch (thrown) {
    close()
    throw thrown
  }
  return {
    hosts: servers.map(({ address }) => (address.includes(':') ? `[${address}]` : address)),
    port,
    connections: async () => {
      const counts = await Promise.all(servers.map(({ server }) => countConnections(server)))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    close,
    cut: () => {
      for (const { server } of servers) server.closeAllConnections()
    },
  }
}

const createHttpServer = ({ limits = SERVER_LIMITS, ...options }: ListenOptions): Server => {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkIntervalMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // Our own check handles a missing Host header like a foreign one.
      requireHostHeader: false,
    },
    options.onRequest,
  )
  // With a limit Node silently drops further headers, possibly one that protects us.
  server.maxHeadersCount = 0
  if (Number.isFinite(limits.maxConnections)) server.maxConnections = limits.maxConnections
  // The caller is told to send its body once it is about to be read.
  server.on('checkContinue', options.onRequest)
  // Other expectations are ignored; Node would answer them without our error format.
  server.on('checkExpectation', options.onRequest)
  server.on('clientError', options.onGarbage)
  server.on('drop', options.onDropped)
  return server
}

const bind = (
  server: Server,
  host: string,
  port: number,
  setting: string,
): Promise<number | 'no such address'> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT')
        resolve('no such address')
      else reject(explain(error, port, setting))
    })
    server.listen({ host, port }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })

const explain = (error: NodeJS.ErrnoException, port: number, setting: string): StewardError => {
  if (error.code === 'EADDRINUSE') {
    return new StewardError('port_busy', { port, reason: 'another program listens there' }, error)
  }
  const reason =
    error.code === 'EACCES' ? `port ${port} needs more rights than this has` : error.message
  return new StewardError('not_configured', { subject: setting, reason }, error)
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
