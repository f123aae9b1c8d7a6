import { randomUUID } from 'node:crypto'
import { type RouteTable, SCRIPT, withScript } from './platform-route.ts'

/** Workers' logs: live and stored. */
export const LOG_ROUTES: RouteTable = [
  [
    'POST',
    `${SCRIPT}/tails`,
    withScript(({ name }, { state, socketBase }) => {
      const id = randomUUID()
      state.tails.set(id, name)
      const expires = new Date(Date.now() + 3_600_000).toISOString()
      return { result: { id, url: `${socketBase}/tail/${id}`, expires_at: expires } }
    }),
  ],
  [
    'DELETE',
    `${SCRIPT}/tails/(?<id>[^/]+)`,
    ({ state, id }) => {
      state.tails.delete(id)
      return { result: null }
    },
  ],
  [
    'POST',
    '/workers/observability/telemetry/query',
    ({ state }) => ({
      result: { run: {}, statistics: {}, events: { events: state.logEvents } },
    }),
  ],
]
