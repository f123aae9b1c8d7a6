import { isJsonObject, reasonOf, StewardError } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { createFetchHandler } from '../http/create-fetch-handler.ts'
import { readBytes } from '../http/read-input.ts'
import { notAllowed } from '../http/respond.ts'
import { type FetchHandler, PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'
import type { ContainerNamespace } from './platform-container.ts'

const BINDING = 'CONTAINER'

/**
 * The worker in front of an action's container. Checks health, token, path and size here, so that
 * only callers with the token start a container, which costs money.
 */
export const createSandboxWorker = (
  name: string,
  ports: WorkerPorts = PLATFORM_PORTS,
): { fetch: FetchHandler } => ({
  fetch: createFetchHandler({
    primitive: 'action',
    name,
    ports,
    handle: async (request, env, _context, path) => {
      if (request.method !== 'POST' || path !== '/') throw notAllowed(request, 'POST /')
      const { headers } = request
      const body = await readBytes(request)
      return forward(env, name, new Request('http://container/', { method: 'POST', headers, body }))
    },
  }),
})

const forward = async (env: WorkerEnv, name: string, request: Request): Promise<Response> => {
  const containers = findContainers(env)
  try {
    // One container per action: it handles requests concurrently, and the cost stays predictable.
    return await containers.get(containers.idFromName(name)).fetch(request)
  } catch (cause) {
    const service = `the container of ${name}`
    throw new StewardError('upstream_failed', { service, reason: reasonOf(cause) }, cause)
  }
}

const findContainers = (env: WorkerEnv): ContainerNamespace => {
  const found = env[BINDING]
  if (isNamespace(found)) return found
  throw new StewardError('binding_missing', { reason: `this worker has no ${BINDING}` })
}

const isNamespace = (value: unknown): value is ContainerNamespace =>
  isJsonObject(value) && typeof value.idFromName === 'function' && typeof value.get === 'function'
