import {
  DASHBOARD_WORKER,
  LIMITS,
  observabilityRoutes,
  StewardError,
  type StewardEvent,
} from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { createFetchHandler } from '../http/create-fetch-handler.ts'
import { respond } from '../http/respond.ts'
import { type FetchHandler, PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'
import { readPushedEvents, readPushedState } from './read-push.ts'
import { findSyncStore } from './sync-store.ts'

type Answer = (request: Request, env: WorkerEnv, ports: WorkerPorts) => Promise<Response>

/**
 * The worker behind a remote dashboard: accepts pushes of daemons and hooks (`http` targets),
 * stores them in KV under the keys that `edge-kv` targets also use, and serves them. The token
 * grants access to everything.
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

/** Newest first, deduplicated by the clients' key, at most 200. The first duplicate is kept. */
export const mergeEvents = (...lists: readonly (readonly StewardEvent[])[]): StewardEvent[] => {
  const byKey = new Map<string, StewardEvent>()
  for (const event of lists.flat()) {
    const key = keyOf(event)
    if (!byKey.has(key)) byKey.set(key, event)
  }
  return [...byKey.values()]
    .map((event) => ({ event, time: timeOf(event) }))
    .toSorted((a, b) => b.time - a.time)
    .slice(0, LIMITS.mergedEvents)
    .map(({ event }) => event)
}

/** Tool calls in the same millisecond differ in their `tool_use_id`, if they have one. */
const keyOf = ({ timestamp, session_id, type, source, tool_use_id }: StewardEvent): string =>
  JSON.stringify([timestamp, session_id, type, source, tool_use_id])

/** Events with an invalid time sort last. */
const timeOf = ({ timestamp }: StewardEvent): number => {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
}
