import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  describeIssues,
  type ErrorCode,
  issuesOf,
  LIMITS,
  type Route,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  API_HEADERS,
  type HttpContext,
  type HttpEnv,
  isProtobuf,
  mountRoutes,
  parseBody,
  parseInput,
  pumpStream,
  type RateLimits,
  type RawInput,
  type RequestLog,
  readBytes,
  type StaticFiles,
  type StreamCount,
} from '@steward/http'
import { Hono } from 'hono'
import type { z } from 'zod'
import { type Call, type Handler, ReadyJson } from '../module.ts'
import type { Gate } from './auth/gate.ts'
import { toErrorAnswer } from './error-answer.ts'
import { isApiPath } from './is-api-path.ts'

/** A handler and the check that its module runs. */
interface Served {
  handler: Handler
  /** Waits while its module starts; throws if the module does not run. */
  checkRunning: () => void | Promise<void>
}

export interface AppPorts {
  served: readonly Served[]
  gate: Gate
  rateLimits: RateLimits
  streams: StreamCount
  refusals: RequestLog
  failures: RequestLog
  homeRoot: string
  /** Aborted when streams must end, and when calls have used up their time. */
  stopping: { streams: AbortSignal; calls: AbortSignal }
  /** Serves the dashboard's pages and assets. */
  servePage: StaticFiles['serve']
}

/** All routes of all modules behind the same checks, and the dashboard. */
export const createApp = (ports: AppPorts): Hono<HttpEnv> => {
  const app = new Hono<HttpEnv>()
  mountRoutes(
    app,
    ports.served.map((served) => {
      const { route } = served.handler
      return {
        methods: [route.method],
        allowed: allowedBy(route),
        paths: [route.path],
        answer: (c) => answer(ports, served, c),
      }
    }),
    (c, allowed) => refuseMethod(ports, c, [...allowed, 'OPTIONS']),
  )
  app.all('*', (c) => servePage(ports, c))
  app.onError((thrown, c) => fail(ports, c, thrown, ports.failures))
  return app
}

const answer = async (ports: AppPorts, served: Served, c: HttpContext): Promise<Response> => {
  const { route } = served.handler
  if (c.req.method === 'HEAD' && !allowedBy(route).includes('HEAD')) {
    return refuseMethod(ports, c, [...allowedBy(route), 'OPTIONS'])
  }
  let input: Awaited<ReturnType<typeof admit>>
  try {
    input = await admit(ports, served, c)
  } catch (thrown) {
    return fail(ports, c, thrown, ports.refusals, route)
  }
  try {
    if (route.answer === 'event-stream') return await stream(ports, served.handler, input, c)
    const call = new OpenCall(c, ports.stopping.calls, false)
    const result = await served.handler.answer(input, call)
    return result instanceof Response ? addHeaders(result) : sendJson(c, route, result)
  } catch (thrown) {
    return fail(ports, c, thrown, ports.failures, route)
  }
}

/** All checks before a handler sees the call. */
const admit = async (ports: AppPorts, { handler, checkRunning }: Served, c: HttpContext) => {
  const { route } = handler
  const { incoming } = c.env
  await ports.gate.check(route.access, incoming)
  ports.rateLimits.check(route)
  await checkRunning()
  if (route.takesBytes) {
    const bytes = await readBytes(incoming, route.maxBodyBytes ?? LIMITS.daemonBodyBytes)
    return {
      ...parseRouteInput(route, { params: c.req.param(), query: c.req.query(), body: undefined }),
      body: bytes,
    }
  }
  const body = route.body === undefined ? undefined : await readBody(route, incoming)
  return parseRouteInput(route, { params: c.req.param(), query: c.req.query(), body })
}

const readBody = async (route: Route, incoming: IncomingMessage): Promise<unknown> => {
  const bytes = await readBytes(incoming, route.maxBodyBytes ?? LIMITS.daemonBodyBytes)
  if (route.takesOtlp !== undefined && isProtobuf(incoming.headers['content-type'])) {
    const { decodeOtlp } = await import('./decode-otlp.ts')
    return decodeOtlp(route.takesOtlp, bytes)
  }
  try {
    return parseBody(bytes)
  } catch (thrown) {
    if (route.takesAnyBody && toStewardError(thrown).code === 'invalid_json') return undefined
    throw thrown
  }
}

/** Most answers take this way, which is several times faster than a `Response`. */
const LONG_CHARS = 16 * 1024

const sendJson = ({ env: { outgoing } }: HttpContext, route: Route, result: unknown): Response => {
  const { body, status } =
    result instanceof ReadyJson ? result : new ReadyJson(JSON.stringify(result) ?? 'null')
  // A socket takes ten times as long for a long text as for its bytes.
  const sent = typeof body === 'string' && body.length > LONG_CHARS ? Buffer.from(body) : body
  outgoing.writeHead(status ?? route.status ?? 200, {
    ...API_HEADERS,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(sent),
  })
  outgoing.end(sent)
  return RESPONSE_ALREADY_SENT
}

const addHeaders = ({ status, headers, body }: Response): Response =>
  new Response(body, { status, headers: { ...API_HEADERS, ...Object.fromEntries(headers) } })

const stream = async (
  ports: AppPorts,
  handler: Handler,
  input: Awaited<ReturnType<typeof admit>>,
  c: HttpContext,
): Promise<Response> => {
  const { outgoing } = c.env
  const end = ports.streams.begin()
  outgoing.once('close', end)
  try {
    const result = await handler.answer(input, new OpenCall(c, ports.stopping.streams, true))
    if (!(result instanceof Response)) return sendJson(c, handler.route, result)
    await pumpStream(addHeaders(result), outgoing)
  } catch (thrown) {
    end()
    throw thrown
  }
  return RESPONSE_ALREADY_SENT
}

/** A class, because a getter in an object literal is defined again, slowly, for each object. */
class OpenCall implements Call {
  readonly header: Call['header']
  readonly #outgoing: ServerResponse
  readonly #stopping: AbortSignal
  readonly #isStream: boolean
  #signal: AbortSignal | undefined

  constructor(
    { env: { outgoing, incoming } }: HttpContext,
    stopping: AbortSignal,
    isStream: boolean,
  ) {
    this.#outgoing = outgoing
    this.#stopping = stopping
    this.#isStream = isStream
    this.header = (name) => {
      const value = incoming.headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    }
  }

  /** Few calls need it. */
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#outgoing, this.#stopping, this.#isStream)
    return this.#signal
  }
}

/** `AbortSignal.any` would leave work to the garbage collector for as long as the daemon runs. */
const signalOf = (
  outgoing: ServerResponse,
  stopping: AbortSignal,
  isStream: boolean,
): AbortSignal => {
  const ended = new AbortController()
  const stop = (): void => ended.abort(stopping.reason)
  const leave = (): void => {
    stopping.removeEventListener('abort', stop)
    // A call that was answered has nothing left to stop.
    if (isStream || !outgoing.writableFinished) ended.abort(DISCONNECTED)
  }
  if (stopping.aborted) stop()
  else if (outgoing.destroyed) leave()
  else {
    stopping.addEventListener('abort', stop, { once: true })
    outgoing.once('close', leave)
  }
  return ended.signal
}

/** Made once, because the stack of an error takes longer than the rest. */
const DISCONNECTED = new DOMException('The connection was closed', 'AbortError')

/** HEAD must have no side effects: streams would open and codes would be used up. */
const allowedBy = ({ method, answer: shape }: Route): string[] =>
  method === 'GET' && typeof shape !== 'string' ? ['GET', 'HEAD'] : [method]

const refuseMethod = (ports: AppPorts, c: HttpContext, allowed: readonly string[]): Response => {
  if (c.req.method === 'OPTIONS') {
    return new Response(null, {
      status: 204,
      headers: { ...API_HEADERS, allow: allowed.join(', ') },
    })
  }
  const { method } = c.req
  const error = new StewardError('method_not_allowed', { method, allowed: allowed.join(', ') })
  return fail(ports, c, error, ports.refusals)
}

const servePage = async (ports: AppPorts, c: HttpContext): Promise<Response> => {
  const { path, method } = c.req
  if (isApiPath(path)) {
    const error = new StewardError('not_found', { what: 'path', name: path.slice(0, SHOWN_CHARS) })
    return fail(ports, c, error, ports.refusals)
  }
  if (method !== 'GET' && method !== 'HEAD')
    return refuseMethod(ports, c, ['GET', 'HEAD', 'OPTIONS'])
  try {
    await ports.gate.check('local', c.env.incoming)
  } catch (thrown) {
    return fail(ports, c, thrown, ports.refusals)
  }
  const [rawPath = '/'] = (c.env.incoming.url ?? '/').split('?', 1)
  return ports.servePage(rawPath, {
    ifNoneMatch: c.req.header('if-none-match'),
    acceptEncoding: c.req.header('accept-encoding'),
  })
}

const SHOWN_CHARS = 200
/** Lasting conditions: the module logs when they begin, so polling clients do not repeat them. */
const REPORTED_ONCE: ReadonlySet<ErrorCode> = new Set(['work_state_missing'])

const fail = (
  ports: AppPorts,
  c: HttpContext,
  thrown: unknown,
  log: RequestLog,
  route?: Route,
): Response => {
  const error = toStewardError(thrown)
  // Expected refusals are answers and not logged; unexpected failures are.
  const isNews = error.status >= 500 && !REPORTED_ONCE.has(error.code)
  if (log === ports.refusals || isNews) log.note(c.env.incoming, error)
  const { status, headers, body } = toErrorAnswer(error, ports.homeRoot, route)
  if (!c.env.incoming.complete) headers.connection = 'close'
  return new Response(body, { status, headers })
}

/** Parses a call's input by its route; errors name the field. */
const parseRouteInput = (route: Route, raw: RawInput): RawInput =>
  parseInput(route, raw, { pathNotFound, invalid })

const invalid = (subject: string, error: z.ZodError): StewardError => {
  const issues = issuesOf(error)
  const field = issues[0]?.path
  return new StewardError('invalid_input', {
    subject,
    reason: describeIssues(issues),
    ...(field ? { field } : {}),
  })
}

/**
 * Explains the expected path if the route knows it, as for an unknown domain or a misspelled slug.
 */
const pathNotFound = (error: z.ZodError): StewardError =>
  new StewardError('not_found', { what: 'path', name: describeIssues(issuesOf(error)) })
