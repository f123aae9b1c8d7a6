import { StewardError, toStewardError, type WorkerKind } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import type { FetchHandler, WorkerContext, WorkerPorts } from '../platform.ts'
import { writeLog } from '../write-log.ts'
import { isAuthorized } from './auth.ts'
import { pathOf } from './path-of.ts'
import { notAllowed, respond, respondError } from './respond.ts'

export interface FetchParts {
  primitive: WorkerKind
  name: string
  ports: WorkerPorts
  /** Requests that prove by other means who they are from, and are checked by `handle`. */
  authenticatesItself?: (request: Request) => boolean
  handle: (
    request: Request,
    env: WorkerEnv,
    context: WorkerContext,
    path: string,
  ) => Promise<Response>
}

/**
 * The one order in which every worker looks at a request: public health, then the token, and only
 * then method and path, so that a stranger learns nothing of what there is.
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
