import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'

export type HttpEnv = { Bindings: HttpBindings }
export type HttpContext = Context<HttpEnv>

export interface MountedRoute {
  methods: readonly string[]
  /** The methods reported to callers, if more than `methods`. */
  allowed?: readonly string[]
  paths: readonly string[]
  answer: (context: HttpContext) => Promise<Response>
}

/**
 * Serves routes, and refuses other methods on their paths. `refuseMethod` gets all methods that a
 * path allows. The router takes the first matching path, so `/work/stats` must come before
 * `/work/:id`.
 */
export const mountRoutes = (
  app: Hono<HttpEnv>,
  routes: readonly MountedRoute[],
  refuseMethod: (context: HttpContext, allowed: readonly string[]) => Response,
): void => {
  const methodsByPath = new Map<string, Set<string>>()
  const placed = routes
    .flatMap((route) => route.paths.map((path) => ({ ...route, path })))
    .toSorted((one, other) => parameterCount(one.path) - parameterCount(other.path))
  for (const { methods, allowed = methods, path, answer } of placed) {
    app.on([...methods], path, answer)
    const known = methodsByPath.get(path) ?? new Set()
    methodsByPath.set(path, new Set([...known, ...allowed]))
  }
  for (const [path, methods] of methodsByPath)
    app.all(path, (context) => refuseMethod(context, [...methods]))
}

const parameterCount = (path: string): number => path.split(':').length
