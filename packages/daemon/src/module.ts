import type { ModuleHealth, Route, RouteAnswer, RouteInput } from '@steward/contract'

/** What a handler knows of its call beside the checked input. */
export interface Call {
  /** Aborted when the caller is gone or the daemon stops. */
  signal: AbortSignal
  header: (name: string) => string | undefined
}

/** A route with the function that answers it. The server has checked access, input and size before. */
export interface Handler {
  route: Route
  /** A method, so that a handler of one route's input is a handler: the server hands it that route's. */
  answer(input: { params: unknown; query: unknown; body: unknown }, call: Call): unknown
}

/**
 * One part of the daemon: a function of its ports gives one. A module whose `start` fails is named
 * in `/health` and its routes answer 503; the others go on.
 */
export interface DaemonModule {
  /** Its key among the subsystems of `/health`. */
  name: string
  handlers: readonly Handler[]
  start?: () => Promise<void>
  /** Ends what it does; called once, with what is under way drained by then. */
  stop?: () => Promise<void>
  health: () => ModuleHealth
}

/**
 * A module before its code is loaded. Its routes are known from the beginning, so that their
 * callers wait for the module instead of being refused.
 */
export interface ModuleEntry {
  name: string
  routes: readonly Route[]
  /** Loads the code and makes the module; called again after a failure. */
  load: () => Promise<DaemonModule>
  /** Started before modules that listen to it: requests that change something wait for them. */
  isBeforeListeners?: true
  /** Modules that it asks over the bus for a reply; its routes wait for them too. */
  asks?: readonly string[]
}

/** Ties a handler to its route: what comes in and goes out has the route's types. */
export const handle = <R extends Route>(
  route: R,
  answer: (input: RouteInput<R>, call: Call) => Answer<R> | Promise<Answer<R>>,
): Handler => ({ route, answer })

/** A `Response` where the answer is no JSON, or carries headers of its own. */
type Answer<R extends Route> = RouteAnswer<R> | Response
