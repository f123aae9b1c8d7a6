import type { API, Operation } from '../api/index.ts'
import type { RouteAnswer, RouteRequest } from '../api/route.ts'
import { isErrorCode, reasonOf, StewardError } from '../errors.ts'
import { isJsonObject, parseJsonObject } from '../is-json-object.ts'
import { OPERATIONS } from './operations.ts'

export interface DaemonClientOptions {
  /** `http://127.0.0.1:31337`; empty for a page that the daemon serves itself. */
  base: string
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** The content of the token file; not needed by a page that is signed in. */
  token?: string
}

type RequestOf<K extends Operation> = RouteRequest<(typeof API)[K]> & {
  /** Extra headers such as `if-match`. */
  headers?: Readonly<Record<string, string>>
}
/** Makes the argument optional if the route has no parameters. */
type RequestArgument<K extends Operation> =
  Record<never, never> extends RequestOf<K> ? [request?: RequestOf<K>] : [request: RequestOf<K>]
type AnswerOf<K extends Operation> = RouteAnswer<(typeof API)[K]>

export interface DaemonClient {
  /** Calls an operation; an error of the daemon is rethrown as the original `StewardError`. */
  call: <K extends Operation>(operation: K, ...request: RequestArgument<K>) => Promise<AnswerOf<K>>
  /** The address of an operation, for `EventSource` and images. */
  urlOf: <K extends Operation>(operation: K, ...request: RequestArgument<K>) => string
}

/** A typed client for the daemon's operations; it loads no schema at run time. */
export const createDaemonClient = ({ base, fetch, token }: DaemonClientOptions): DaemonClient => ({
  urlOf: (operation, ...[request]) => buildUrl(base, OPERATIONS[operation].path, request),
  call: async (operation, ...[request]) => {
    const { method, path } = OPERATIONS[operation]
    const body = partOf(request, 'body')
    const isRead = method === 'GET'
    const response = await send(fetch, buildUrl(base, path, request), {
      method,
      headers: {
        ...(isRead ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...request?.headers,
      },
      ...(isRead ? {} : { body: JSON.stringify(body ?? {}) }),
    })
    const text = await response.text()
    if (!response.ok) throw restore(response.status, text)
    return JSON.parse(text)
  },
})

const send = async (
  fetch: DaemonClientOptions['fetch'],
  url: string,
  init: RequestInit,
): Promise<Response> => {
  try {
    return await fetch(url, init)
  } catch (thrown) {
    throw new StewardError(
      'upstream_failed',
      { service: 'the daemon', reason: reasonOf(thrown) },
      thrown,
    )
  }
}

const buildUrl = (base: string, path: string, request: unknown): string => {
  const params = fieldsOf(request, 'params')
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fieldsOf(request, 'query'))) {
    if (value !== undefined) query.set(name, String(value))
  }
  const search = query.size === 0 ? '' : `?${query}`
  return `${base.replace(/\/$/, '')}${filled}${search}`
}

const partOf = (request: unknown, part: string): unknown =>
  isJsonObject(request) ? request[part] : undefined

const fieldsOf = (request: unknown, part: string): Record<string, unknown> => {
  const value = partOf(request, part)
  return isJsonObject(value) ? value : {}
}

const restore = (status: number, text: string): StewardError => {
  const body = parseJsonObject(text)
  if (typeof body?.code === 'string' && isErrorCode(body.code)) {
    const { error, code, success, ...details } = body
    return StewardError.restore(body.code, String(error), details)
  }
  return new StewardError('upstream_failed', { service: 'the daemon', reason: `HTTP ${status}` })
}
