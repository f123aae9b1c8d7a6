import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { StewardError, toStewardError } from '@steward/contract'
import { createId } from '../ids/create-id.ts'
import type { HostedApi } from './create-hosted-api.ts'
import { toErrorAnswer } from './error-answer.ts'

export interface ServeOptions {
  host: string
  /** 0 takes a free one. */
  port: number
  /** How long a stop waits for clients to take what is under way. */
  patienceMs?: number
}

export interface HostedServer {
  /** `http://127.0.0.1:31338`, for clients as their base URL. */
  address: string
  /** Ends streams, lets calls that are under way finish, then closes; clients that take nothing are cut. */
  stop(): Promise<void>
}

/** A client that sends its request slower than this is not waited for. */
const REQUEST_TIMEOUT_MS = 120_000
const PATIENCE_MS = 5000
const SWEEP_MS = 20
const MOST_HEADER_BYTES = 32 * 1024

/** Listens for clients of the API. */
export const serveHostedApi = async (
  api: HostedApi,
  { host, port, patienceMs = PATIENCE_MS }: ServeOptions,
): Promise<HostedServer> => {
  const listener = getRequestListener(api.app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: answerMisfit,
  })
  const answering = new Set<ServerResponse>()
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    answering.add(outgoing)
    outgoing.once('close', () => answering.delete(outgoing))
    listener(incoming, outgoing).catch(() => outgoing.destroy())
  }
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
      // Refused by us, in the envelope.
      requireHostHeader: false,
    },
    onRequest,
  )
  server.on('clientError', answerGarbage)
  // Nobody has to meet an expectation; left alone, it would be answered without the envelope.
  server.on('checkExpectation', onRequest)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port)))
    server.listen({ host, port }, resolve)
  })
  const at = server.address()
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${isAddress(at) ? at.port : port}`,
    stop: async () => {
      api.close()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Clients hold connections open that they have not used yet: those are not idle to Node.
      let isPatient = true
      const sweep = setInterval(() => {
        if (!isPatient || answering.size === 0) server.closeAllConnections()
      }, SWEEP_MS)
      const patience = setTimeout(() => {
        isPatient = false
      }, patienceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(patience)
    },
  }
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

const explain = (error: NodeJS.ErrnoException, port: number): StewardError =>
  error.code === 'EADDRINUSE'
    ? new StewardError('port_busy', { port, reason: 'another program listens there' }, error)
    : new StewardError('not_configured', { subject: 'the address', reason: error.message }, error)

/** A request that has no address, such as one with a `Host` that is no host, never gets to the app. */
const answerMisfit = (thrown: unknown): Response => {
  const error =
    thrown instanceof RequestError
      ? new StewardError('invalid_input', { subject: 'the request', reason: thrown.message })
      : toStewardError(thrown)
  const requestId = createId('req')
  const { status, headers, body } = toErrorAnswer(error, requestId)
  return new Response(body, { status, headers: { ...headers, 'request-id': requestId } })
}

/** What is no request still gets the envelope. */
const answerGarbage = (thrown: Error, socket: Duplex): void => {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const code = 'code' in thrown ? thrown.code : undefined
  const status =
    code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const error = new StewardError('invalid_input', {
    subject: 'the request',
    reason: status === 431 ? 'its headers are too large' : 'it is no whole HTTP request',
  })
  const requestId = createId('req')
  const { body } = toErrorAnswer(error, requestId)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\nrequest-id: ${requestId}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
