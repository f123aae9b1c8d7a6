import { LOG_ROUTES } from './log-routes.ts'
import type { RouteTable } from './platform-route.ts'
import { QUEUE_ROUTES } from './queue-routes.ts'
import { RESOURCE_ROUTES } from './resource-routes.ts'
import { SCRIPT_ROUTES } from './script-routes.ts'

export const ROUTES: RouteTable = [
  ...SCRIPT_ROUTES,
  [
    'GET',
    '/r2/buckets/(?<name>[^/]+)',
    ({ state, name }) =>
      state.r2.has(name)
        ? { result: { name } }
        : { status: 404, code: 10006, message: 'The specified bucket does not exist.' },
  ],
  ...RESOURCE_ROUTES,
  ...QUEUE_ROUTES,
  ...LOG_ROUTES,
]
