import { DASHBOARD_WORKER, observabilityRoutes, StewardError } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { createFetchHandler } from '../http/create-fetch-handler.ts'
import { respond } from '../http/respond.ts'
import { type FetchHandler, PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'
import { mergeEvents } from './merge-events.ts'
import { readPushedEvents, readPushedState } from './read-push.ts'
import { findSyncStore } from './sync-store.ts'

type Answer = (request: Request, env: WorkerEnv, ports: WorkerPorts) => Promise<Response>

/**
 * The worker behind a remote dashboard: takes what daemons and hooks push (`http` targets), keeps it
 * in KV under the keys that `edge-kv` targets write too, and serves it. The token opens all of it.
 */
export const createDashboardWorker = (
  ports: WorkerPorts = PLATFORM_PORTS,
): { fetch: FetchHandler } => ({
  fetch: createFetchHandler({
    primitive: 'dashboard',
    name: DASHBOARD_WORKER,
    ports,
    handle: (request, env) => {
      const { pathname } = new URL(request.url)
      const methods = ROUTES.get(pathname)
      if (methods === undefined) {
        throw new StewardError('not_found', { what: 'route', name: pathname, hint: '' })
      }
      const answer = methods[request.method]
      if (answer !== undefined) return answer(request, env, ports)
      throw new StewardError('method_not_allowed', {
        method: `${request.method} ${pathname}`,
        allowed: Object.keys(methods).join(', '),
      })
    },
  }),
})

const takeEvents: Answer = async (request, env, ports) => {
  const { accepted, rejected } = await readPushedEvents(request)
  const store = findSyncStore(env, ports)
  const { events } = await store.readEvents()
  if (accepted.length > 0) await store.writeEvents(mergeEvents(accepted, events))
  return respond({ ok: true, accepted: accepted.length, rejected })
}

const takeState: Answer = async (request, env, ports) => {
  await findSyncStore(env, ports).writeState(await readPushedState(request))
  return respond({ ok: true })
}

const listRecent: Answer = async (_, env, ports) => {
  const { events } = await findSyncStore(env, ports).readEvents()
  return respond({ events: mergeEvents(events) })
}

const showState: Answer = async (_, env, ports) =>
  respond({ ...(await findSyncStore(env, ports).readState()) })

const { pushObservabilityEvents, listRecentEvents } = observabilityRoutes
const observabilityState = observabilityRoutes.getObservabilityState.path

const ROUTES = new Map<string, Readonly<Record<string, Answer>>>([
  [pushObservabilityEvents.path, { POST: takeEvents }],
  [listRecentEvents.path, { GET: listRecent }],
  [observabilityState, { GET: showState, POST: takeState }],
])
