import type { ModuleHealth, Route, RouteAnswer, RouteInput } from '@steward/contract'

/** The context of a call, in addition to the validated input. */
export interface Call {
  /** Aborted when the caller disconnects or the daemon stops. */
  signal: AbortSignal
  header: (name: string) => string | undefined
}

/** A route and its handler. The server has already checked access, input and size. */
export interface Handler {
  route: Route
  /**
   * Declared as a method so that TypeScript accepts handlers with narrower input types; the server
   * passes the matching input.
   */
  answer(input: { params: unknown; query: unknown; body: unknown }, call: Call): unknown
}

/**
 * One part of the daemon, created from its ports. If `start` fails, `/health` names the module and
 * its routes answer 503; the other modules keep running.
 */
export interface DaemonModule {
  /** Its key among the subsystems of `/health`. */
  name: string
  handlers: readonly Handler[]
  start?: () => Promise<void>
  /** Stops the module; called once, after running work was drained. */
  stop?: () => Promise<void>
  health: () => ModuleHealth
}

/**
 * A module before its code is loaded. Its routes are known from the start, so that callers wait for
 * the module instead of getting an error.
 */
export interface ModuleEntry {
  name: string
  routes: readonly Route[]
  /** Loads the code and creates the module; called again after a failure. */
  load: () => Promise<DaemonModule>
  /**
   * Started before the modules that listen to it, so requests that change something wait for those
   * modules.
   */
  isBeforeListeners?: true
  /** Modules whose ports it calls; its routes wait for them too. */
  asks?: readonly string[]
}

/** Binds a handler to its route, with the route's input and output types. */
export const handle = <R extends Route>(
  route: R,
  answer: (input: RouteInput<R>, call: Call) => Answer<R> | Promise<Answer<R>>,
): Handler => ({ route, answer })

/** A `Response` if the answer is not JSON or sets its own headers. */
type Answer<R extends Route> = RouteAnswer<R> | ReadyJson | Response

/** JSON that is ready to be sent, or that has another status than its route. */
export class ReadyJson {
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly status: number | undefined
  constructor(body: string | Uint8Array<ArrayBuffer>, status?: number) {
    this.body = body
    this.status = status
  }
}
