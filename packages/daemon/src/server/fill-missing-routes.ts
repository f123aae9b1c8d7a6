import { API, type Route, StewardError } from '@steward/contract'
import type { Handler } from '../module.ts'

/**
 * Handlers for routes of the table that no module serves: after the usual checks they report that
 * this version does not support them, instead of not found.
 */
export const fillMissingRoutes = (handlers: readonly Handler[]): Handler[] => {
  const served = new Set(handlers.map(({ route }) => keyOf(route)))
  return Object.values<Route>(API)
    .filter((route) => !served.has(keyOf(route)))
    .map((route) => ({
      route,
      answer: () => {
        throw new StewardError('not_available', {
          subject: `${route.method} ${route.path}`,
          reason: 'no module of this version serves it',
          status: 'not_available',
        })
      },
    }))
}

const keyOf = ({ method, path }: Route): string => `${method} ${path}`
