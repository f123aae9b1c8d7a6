import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'

export type HttpEnv = { Bindings: HttpBindings }
export type HttpContext = Context<HttpEnv>

export interface MountedRoute {
  methods: readonly string[]
  /** What callers are told the path allows, where that is more than `methods`. */
  allowed?: readonly string[]
  paths: readonly string[]
  answer: (context: HttpContext) => Promise<Response>
}

/**
 * Serves routes in order, and refuses other methods on their paths. `refuseMethod` gets every method
 * that a path does allow.
 */
export const mountRoutes = (
  app: Hono<HttpEnv>,
  routes: readonly MountedRoute[],
  refuseMethod: (context: HttpContext, allowed: readonly string[]) => Response,
): void => {
  const methodsByPath = new Map<string, Set<string>>()
  for (const { methods, allowed = methods, paths, answer } of routes) {
    for (const path of paths) {
      app.on([...methods], path, answer)
      const known = methodsByPath.get(path) ?? new Set()
      methodsByPath.set(path, new Set([...known, ...allowed]))
    }
  }
  for (const [path, methods] of methodsByPath)
    app.all(path, (context) => refuseMethod(context, [...methods]))
}
