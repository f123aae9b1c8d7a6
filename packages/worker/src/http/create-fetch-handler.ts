import { StewardError, toStewardError, type WorkerKind } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import type { FetchHandler, WorkerContext, WorkerPorts } from '../platform.ts'
import { writeLog } from '../write-log.ts'
import { pathOf } from './path-of.ts'
import { notAllowed, respond, respondError } from './respond.ts'

export interface FetchParts {
  primitive: WorkerKind
  name: string
  ports: WorkerPorts
  /** Requests that authenticate themselves in another way, which `handle` checks. */
  authenticatesItself?: (request: Request) => boolean
  handle: (
    request: Request,
    env: WorkerEnv,
    context: WorkerContext,
    path: string,
  ) => Promise<Response>
}

/**
 * Handles requests in one order: public health, then the token, and only then method and path, so that
 * unauthenticated callers learn nothing about the worker's routes.
 */
export const createFetchHandler = ({
  primitive,
  name,
  ports,
  authenticatesItself = () => false,
  handle,
}: FetchParts): FetchHandler => {
  const health = () =>
    respond({ status: 'ok', [primitive]: name, timestamp: new Date(ports.now()).toISOString() })

  return async (request, env, context) => {
    const path = pathOf(request.url)
    const isHealth = path === '/health'
    if (isHealth && request.method === 'GET') return health()
    try {
      if (!authenticatesItself(request) && !isAuthorized(request, env.AUTH_TOKEN)) {
        throw new StewardError('unauthorized')
      }
      if (isHealth) throw notAllowed(request, 'GET /health')
      return await handle(request, env, context, path)
    } catch (thrown) {
      const error = toStewardError(thrown)
      if (error.status >= 500) writeLog(ports, env, { [primitive]: name, error })
      return respondError(error, env)
    }
  }
}

/**
 * Whether a request has the bearer token (spec 1, Authentication). Without a configured token, all
 * are refused.
 */
const isAuthorized = (request: Request, token: unknown): boolean => {
  if (typeof token !== 'string' || token === '') return false
  const header = request.headers.get('authorization') ?? ''
  // Every request pays for this, and a regular expression costs more.
  if (!header.startsWith(SCHEME) && header.slice(0, SCHEME.length).toLowerCase() !== 'bearer ') {
    return false
  }
  const given = header.slice(SCHEME.length).trimStart()
  return given !== '' && isSame(token, given)
}

const SCHEME = 'Bearer '

/**
 * Compares in constant time for a given length, so that the time does not reveal where the texts differ.
 * The loop runs over the caller's text, whose length the caller knows anyway.
 */
const isSame = (token: string, given: string): boolean => {
  let difference = token.length ^ given.length
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ token.charCodeAt(index % token.length)
  }
  return difference === 0
}
