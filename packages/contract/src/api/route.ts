import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'

/**
 * Required authentication. `public`: never any. `local`: none on loopback, the token in strict
 * mode. `token`: always the bearer token or the dashboard's cookie.
 */
export const ACCESS = ['public', 'local', 'token'] as const
export type Access = (typeof ACCESS)[number]

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/**
 * One endpoint of the daemon; the server, the typed client, `openapi.json` and the page of routes
 * are derived from it.
 */
export interface Route {
  method: Method
  /** `:name` stands for one path segment. */
  path: string
  summary: string
  access: Access
  /** Why it needs this access level; shown in the page of routes. */
  why: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** `event-stream` and `bytes` are answers that are not JSON. */
  answer: z.ZodType | 'event-stream' | 'bytes'
  /** The success status if not 200. */
  status?: number
  errors?: readonly ErrorCode[]
  /** The largest body if not `LIMITS.daemonBodyBytes`. */
  maxBodyBytes?: number
  /**
   * A body that is not JSON counts as empty instead of an error, because hosts treat any status
   * other than 200 as a failure.
   */
  takesAnyBody?: true
  /**
   * The handler gets the exact bytes of the body, of any content type, because they are signed. The
   * route has no `body`.
   */
  takesBytes?: true
  /** The body may also be OTLP in protobuf; it is decoded to the JSON that OTLP defines for it. */
  takesOtlp?: 'logs' | 'metrics' | 'traces'
  /** Calls per minute over all callers; only for expensive routes. */
  perMinute?: number
  /**
   * Its errors also carry `status: "error"` and `message`, because clients of its predecessors read
   * these.
   */
  statusInErrors?: true
}

export const defineRoute = <const R extends Route>(route: R): R => route

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type Given<T> = T extends z.ZodType ? z.input<T> : undefined
type Part<R, K extends 'params' | 'query' | 'body'> = R extends { [Key in K]: infer T }
  ? T
  : undefined

/** The validated input of a handler. */
export interface RouteInput<R extends Route> {
  params: Parsed<Part<R, 'params'>>
  query: Parsed<Part<R, 'query'>>
  body: Parsed<Part<R, 'body'>>
}

type PartName = 'params' | 'query' | 'body'
type PartsOf<R> = { [K in PartName]: Part<R, K> extends z.ZodType ? K : never }[PartName]
type OptionalPartsOf<R> = {
  [K in PartsOf<R>]: Record<never, never> extends Given<Part<R, K>> ? K : never
}[PartsOf<R>]

/**
 * The input of a client call. Parts that a route does not have are omitted, and parts without
 * required fields may be.
 */
export type RouteRequest<R extends Route> = {
  [K in Exclude<PartsOf<R>, OptionalPartsOf<R>>]: Given<Part<R, K>>
} & { [K in OptionalPartsOf<R>]?: Given<Part<R, K>> }

export type RouteAnswer<R extends Route> = R['answer'] extends z.ZodType
  ? z.output<R['answer']>
  : unknown
