import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { StandInAnswer } from './platform-route.ts'
import { ROUTES } from './platform-routes.ts'
import { createPlatformState, type PlatformCall, type PlatformState } from './platform-state.ts'
import { serveTail, type TailConnection } from './serve-tail.ts'

export const STAND_IN_ACCOUNT = 'f00df00df00df00df00df00df00df00d'
/** The only valid token, stored in the tests' login file. */
export const STAND_IN_TOKEN = 'oauth-token-of-the-login'

export interface PlatformStandIn {
  /** For CLOUDFLARE_API_BASE_URL. */
  baseUrl: string
  state: PlatformState
  addQueue: (name: string) => void
  /** Awaited before a response is sent: a test can delay, cut or count here. */
  onCall: (hook: (call: PlatformCall) => void | Promise<void>) => void
  /** The next WebSocket that opens a tail. */
  nextTail: () => Promise<TailConnection>
  close: () => Promise<void>
}

/** The platform's API on loopback: it is stateful, and refuses what the platform would refuse. */
export const startPlatformStandIn = async (): Promise<PlatformStandIn> => {
  const state = createPlatformState()
  let hook: (call: PlatformCall) => void | Promise<void> = () => undefined
  const sockets = new Set<Duplex>()
  const waiting: ((tail: TailConnection) => void)[] = []
  let socketBase = ''
  const server = createServer((request, response) => {
    answer(request, state, socketBase, (call) => hook(call))
      .catch((thrown: unknown) => {
        state.unexpected.push(`${request.method} ${request.url}: ${thrown}`)
        return { status: 400, code: 10001, message: String(thrown) }
      })
      .then((given) => reply(response, given))
  })
  server.on('upgrade', (request, socket) => {
    const id = request.url?.split('/').at(-1) ?? ''
    if (!state.tails.has(id) || request.headers['sec-websocket-protocol'] !== 'trace-v1') {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
    sockets.add(socket)
    const tail = serveTail(request, socket)
    for (const take of waiting.splice(0)) take(tail)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  socketBase = `ws://127.0.0.1:${address.port}`
  return {
    baseUrl: `http://127.0.0.1:${address.port}/client/v4`,
    state,
    addQueue: (name) => state.queues.set(name, { id: randomUUID(), name, consumers: [] }),
    onCall: (given) => {
      hook = given
    },
    nextTail: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const answer = async (
  request: IncomingMessage,
  state: PlatformState,
  socketBase: string,
  hook: (call: PlatformCall) => void | Promise<void>,
): Promise<StandInAnswer> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Uint8Array.from(Buffer.concat(chunks))
  const { method = '' } = request
  const url = new URL(request.url ?? '', 'http://stand-in')
  const contentType = request.headers['content-type'] ?? ''
  const json = (): unknown => JSON.parse(Buffer.from(bytes).toString())
  const path = url.pathname.replace('/client/v4', '').replace(`/accounts/${STAND_IN_ACCOUNT}`, '')
  if (request.headers.authorization !== `Bearer ${STAND_IN_TOKEN}`) {
    state.unexpected.push(`${method} ${path} with another token`)
    return { status: 401, code: 10000, message: 'Authentication error' }
  }
  const call = { method, path, body: contentType.includes('json') ? json() : undefined }
  state.calls.push(call)
  await hook(call)
  if (path === '/accounts') return { result: [{ id: STAND_IN_ACCOUNT, name: 'Ada' }] }
  for (const [wanted, pattern, route] of ROUTES) {
    const match = new RegExp(`^${pattern}$`).exec(path)
    if (wanted !== method || match === null) continue
    const { name = '', id = '' } = match.groups ?? {}
    const seen = { method, path, query: url.searchParams, contentType, bytes, json }
    return route({ state, request: seen, name: decodeURIComponent(name), id, socketBase })
  }
  state.unexpected.push(`${method} ${path}`)
  return { status: 404, code: 7000, message: 'No route for that URI' }
}

const reply = (response: ServerResponse, given: StandInAnswer): void => {
  const failed = 'code' in given
  const body = {
    success: !failed,
    errors: failed ? [{ code: given.code, message: given.message }] : [],
    messages: [],
    result: failed ? null : given.result,
    ...('pages' in given
      ? { result_info: { page: 1, per_page: 100, total_pages: given.pages } }
      : {}),
  }
  response
    .writeHead(failed ? given.status : 200, { 'content-type': 'application/json' })
    .end(JSON.stringify(body))
}
