import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import {
  allowsKey,
  findHostedRefusal,
  readQuery,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  checkCaller,
  type HttpContext,
  type HttpEnv,
  mountRoutes,
  parseBody,
  readBytes,
} from '@steward/http'
import { Hono } from 'hono'
import { answerOnce } from '../api/answers.ts'
import { findRepetition } from '../api/find-repetition.ts'
import type { Call, ChangeHandler, Handler } from '../api/handler.ts'
import { parseRouteInput } from '../api/parse-input.ts'
import { invalid } from '../api/refusal.ts'
import type { Tx } from '../database/tx.ts'
import { receiveWebhook } from '../deployments/deployment-webhook.ts'
import { createId } from '../ids/create-id.ts'
import { createGate } from '../keys/gate.ts'
import type { StoredKey } from '../keys/key.ts'
import { createHub } from '../sessions/streams/hub.ts'
import { createStreams } from '../sessions/streams/streams.ts'
import { noteChange } from '../webhooks/note-change.ts'
import { checkBeta, checkKey } from './admit.ts'
import { toErrorAnswer } from './error-answer.ts'
import { listHandlers } from './list-handlers.ts'
import type { HostedApiPorts } from './ports.ts'
import { readStatus } from './status.ts'

export interface HostedApi {
  app: Hono<HttpEnv>
  /** The number of open streams in this process. */
  countStreams(): number
  /** Receives internal errors. */
  report: HostedApiPorts['report']
  /** Ends open streams and unsubscribes from the store. */
  close(): void
}

/** The HTTP API of hosted agents: every route of the contract behind the same checks. */
export const createHostedApi = (ports: HostedApiPorts): HostedApi => {
  const { database, now } = ports
  const gate = createGate(database, now)
  const ownNames = new Set(ports.ownNames.map((name) => name.toLowerCase()))
  const reportStream = (thrown: unknown): void => ports.report(toStewardError(thrown), 'a stream')
  const hub = createHub({ database, now, repeat: ports.repeat, onFailure: reportStream })
  const streams = createStreams(database, hub, ports.limits.streams, reportStream)
  const handlers = listHandlers(ports, streams)

  const fail = (
    c: HttpContext,
    thrown: unknown,
    headers: Readonly<Record<string, string>>,
  ): Response => {
    const error = toStewardError(thrown)
    if (error.status >= 500) ports.report(error, `${c.req.method} ${c.req.path}`)
    const answer = toErrorAnswer(error, headers['request-id'] ?? '')
    return new Response(answer.body, {
      status: answer.status,
      headers: { ...headers, ...answer.headers },
    })
  }

  const checkNames = (c: HttpContext): void => {
    checkCaller(
      {
        host: c.req.header('host'),
        origin: c.req.header('origin'),
        fetchSite: c.req.header('sec-fetch-site'),
      },
      ownNames,
    )
  }

  const admit = (c: HttpContext): Promise<StoredKey> => {
    checkNames(c)
    return gate.admit({
      authorization: c.req.header('authorization'),
      apiKey: c.req.header('x-api-key'),
    })
  }

  const answer = async (handler: Handler, c: HttpContext): Promise<Response> => {
    const headers = createHeaders()
    try {
      return toResponse(await respond(handler, c, headers), headers)
    } catch (thrown) {
      return fail(c, thrown, headers)
    }
  }

  const respond = async (
    handler: Handler,
    c: HttpContext,
    headers: Readonly<Record<string, string>>,
  ): Promise<unknown> => {
    const { route } = handler
    const header = (name: string): string | undefined => c.req.header(name)
    // HEAD must have no side effects: it would open streams or hand out work.
    if (c.req.method === 'HEAD') throw notAllowed('HEAD', [route.method])
    const key = await admit(c)
    await checkKey(database, key, route, c.req.param())
    checkBeta(route, header('anthropic-beta'))
    const call: Call = { key, nowMs: now(), header, headers, context: c }
    const bytes =
      route.body === undefined ? NOTHING : await readBytes(c.env.incoming, ports.limits.bodyBytes)
    const url = new URL(c.req.url)
    const input = parseRouteInput(route, {
      params: c.req.param(),
      query: readQuery(url.searchParams),
      body: route.body === undefined ? undefined : readJson(bytes),
    })
    if (handler.kind === 'open') return handler.answer(input, call)
    if (handler.kind === 'read') return database.read(() => handler.answer(input, call))
    const target = `${url.pathname}${url.search}`
    const result = await change(handler, input, call, target, bytes)
    void handler.after?.(input).catch((thrown: unknown) => {
      ports.report(toStewardError(thrown), `${route.method} ${route.path}`)
    })
    return result
  }

  const change = async (
    handler: ChangeHandler,
    input: Parameters<ChangeHandler['answer']>[0],
    call: Call,
    target: string,
    body: Uint8Array,
  ): Promise<unknown> => {
    const { method } = handler.route
    const { key, header } = call
    const { nowMs } = call
    const work = function* (): Tx<unknown> {
      const result = yield* handler.answer(input, call)
      yield* noteChange(handler.route, input.params, result, nowMs)
      return result
    }
    const repetition = findRepetition({ keyId: key.id, method, target, body, header })
    if (repetition === undefined) return database.write(work)
    const text = await database.write(() => answerOnce(repetition, nowMs, work))
    return new Response(text, { headers: { 'content-type': 'application/json' } })
  }

  const app = new Hono<HttpEnv>()
  app.get('/health', () => toResponse({ status: 'ok' }, createHeaders()))
  app.get('/v1/steward/status', async (c) => {
    const headers = createHeaders()
    try {
      const key = await admit(c)
      if (!allowsKey(key.scope, { scope: 'read' }))
        throw new StewardError('scope_missing', { scope: key.scope, reason: 'it needs read' })
      return toResponse(await readStatus(ports, hub.count()), headers)
    } catch (thrown) {
      return fail(c, thrown, headers)
    }
  })
  app.post('/webhooks/deployments/:deployment_id', async (c) => {
    const headers = createHeaders()
    try {
      checkNames(c)
      const body = new Uint8Array(await readBytes(c.env.incoming, WEBHOOK_BYTES))
      const deploymentId = c.req.param('deployment_id')
      const header = (name: string): string | undefined => c.req.header(name)
      const delivery = { deploymentId, body, header, nowMs: now() }
      return toResponse(await receiveWebhook(database, delivery, ports), headers)
    } catch (thrown) {
      return fail(c, thrown, headers)
    }
  })
  mountRoutes(
    app,
    handlers.map((handler) => {
      const { method, path, alsoAt } = handler.route
      return {
        methods: isItemUpdate(method, path) ? [method, 'PUT'] : [method],
        paths: alsoAt === undefined ? [path] : [path, alsoAt],
        answer: (c) => answer(handler, c),
      }
    }),
    (c, allowed) => fail(c, notAllowed(c.req.method, allowed), createHeaders()),
  )
  app.notFound((c) => {
    const refused = findHostedRefusal(c.req.path)
    if (refused !== undefined) {
      const { subject, reason } = refused
      const error = invalid(subject, `not available here: ${reason}`, 'not_available')
      return fail(c, error, createHeaders())
    }
    const id = `${c.req.method} ${c.req.path}`
    return fail(
      c,
      StewardError.restore('hosted_not_found', `there is no ${id.slice(0, 200)}`),
      createHeaders(),
    )
  })
  app.onError((thrown, c) => fail(c, thrown, createHeaders()))

  return { app, countStreams: hub.count, report: ports.report, close: hub.close }
}

const NOTHING = new Uint8Array()
const WEBHOOK_BYTES = 1024 * 1024

/** Calls without parameters send an empty body. */
const readJson = (bytes: Uint8Array): unknown => (bytes.length === 0 ? {} : parseBody(bytes))

/** Updating one resource is a POST; some REST clients send a PUT. */
const isItemUpdate = (method: string, path: string): boolean =>
  method === 'POST' && /\/:\w+$/.test(path)

const createHeaders = (): Record<string, string> => ({
  'request-id': createId('req'),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

const toResponse = (result: unknown, headers: Readonly<Record<string, string>>): Response => {
  if (result === RESPONSE_ALREADY_SENT) return RESPONSE_ALREADY_SENT
  if (result === null) return new Response(null, { status: 204, headers })
  if (!(result instanceof Response))
    return new Response(JSON.stringify(result), {
      headers: { ...headers, 'content-type': 'application/json' },
    })
  for (const [name, value] of Object.entries(headers))
    if (!result.headers.has(name)) result.headers.set(name, value)
  return result
}

const notAllowed = (method: string, allowed: readonly string[]): StewardError =>
  new StewardError('method_not_allowed', { method, allowed: allowed.join(', ') })
