import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fields, reasonOf } from '@steward/contract'
import { z } from 'zod'
import {
  type ReceivedCall,
  type ScriptedAnswer,
  scriptedAnswer,
  standInOptions,
  type VendorStandInOptions,
} from './stand-in-types.ts'
import { anthropicShape, openaiShape, type VendorShape } from './vendor-shapes.ts'

export interface VendorStandIn {
  /** `http://127.0.0.1:PORT`, without a path. */
  url: string
  calls: readonly ReceivedCall[]
  /** Adds answers for the next calls. */
  script: (...answers: ScriptedAnswer[]) => void
  close: () => Promise<void>
}

const SHAPES: Record<string, VendorShape> = {
  '/v1/messages': anthropicShape,
  '/v1/chat/completions': openaiShape,
}

/**
 * A model vendor on loopback: Anthropic's Messages and OpenAI's chat completions on one port. It
 * rejects requests that the real one would, and the same prompt always gets the same answer. `GET
 * /__calls` returns `{count, calls}`; `POST /__script` accepts a list of scripted answers.
 */
export const startVendorStandIn = async (
  given: VendorStandInOptions = {},
): Promise<VendorStandIn> => {
  const options = standInOptions.parse(given)
  const calls: ReceivedCall[] = []
  const script = [...options.script]

  const answerCall = async (shape: VendorShape, path: string, request: IncomingMessage) => {
    const headers = headersOf(request)
    const body = fields.parse(JSON.parse(await readBody(request)))
    if (options.apiKey !== undefined && shape.keyOf(headers) !== options.apiKey) {
      calls.push({ path, headers, body, ...shape.read(body) })
      return { status: 401, body: shape.error('authentication_error', 'invalid x-api-key') }
    }
    const wrong = shape.check(headers, body)
    if (wrong !== undefined) {
      return { status: 400, body: shape.error('invalid_request_error', wrong) }
    }
    const call = { path, headers, body, ...shape.read(body) }
    calls.push(call)
    const next = script.shift() ?? {}
    await delay(next.delayMs ?? options.delayMs)
    if (next.hang || next.drop) return next.drop ? 'drop' : 'hang'
    if (call.temperature !== undefined && options.withoutTemperature.includes(call.model)) {
      const message = '`temperature` is deprecated for this model.'
      return { status: 400, body: shape.error('invalid_request_error', message) }
    }
    const status = next.status ?? 200
    const error = next.error ?? { type: 'api_error', message: `scripted ${status}` }
    const usual = status < 400 ? shape.answer(call, next) : shape.error(error.type, error.message)
    return { status, headers: next.headers, body: next.body ?? usual }
  }

  const route = async (request: IncomingMessage) => {
    const path = new URL(request.url ?? '/', 'http://stand-in').pathname
    const shape = SHAPES[path]
    if (request.method === 'POST' && shape !== undefined) return answerCall(shape, path, request)
    if (request.method === 'POST' && path === '/__script') {
      script.push(...z.array(scriptedAnswer).parse(JSON.parse(await readBody(request))))
      return { status: 200, body: { scripted: script.length } }
    }
    if (path === '/__calls') return { status: 200, body: { count: calls.length, calls } }
    if (options.models !== undefined && path === '/v1/models') {
      return { status: 200, body: { data: options.models.map((id) => ({ id })) } }
    }
    if (options.models !== undefined && path === '/api/tags') {
      return { status: 200, body: { models: options.models.map((name) => ({ name })) } }
    }
    return { status: 404, body: { error: { type: 'not_found_error', message: `no ${path}` } } }
  }

  const server = createServer((request, response) => {
    route(request)
      .catch((error) => ({ status: 400, body: { error: { message: reasonOf(error) } } }))
      .then((answer) => send(response, answer))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    script: (...answers) => void script.push(...answers),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

type Answer =
  | 'hang'
  | 'drop'
  | { status: number; headers?: Record<string, string> | undefined; body: unknown }

const send = (response: ServerResponse, answer: Answer): void => {
  if (answer === 'hang') return
  if (answer === 'drop') {
    response.destroy()
    return
  }
  const { status, headers, body } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

const headersOf = (request: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
