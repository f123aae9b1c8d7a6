import type { z } from 'zod'
import type { ErrorCode } from '../errors.ts'

/**
 * What a caller needs. `public`: nothing, ever. `local`: nothing on loopback, the token in strict
 * mode. `token`: the token file's bearer or the dashboard's cookie, always.
 */
export const ACCESS = ['public', 'local', 'token'] as const
export type Access = (typeof ACCESS)[number]

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** One endpoint of the daemon: the server, the typed client, `openapi.json` and the page of routes all come from it. */
export interface Route {
  method: Method
  /** `:name` stands for one path segment. */
  path: string
  summary: string
  access: Access
  /** Why it needs what it needs; stands in the page of routes. */
  why: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** `event-stream` and `bytes` are answers that are not JSON. */
  answer: z.ZodType | 'event-stream' | 'bytes'
  /** The success status when it is not 200. */
  status?: number
  errors?: readonly ErrorCode[]
  /** The largest body, when it is not `LIMITS.daemonBodyBytes`. */
  maxBodyBytes?: number
  /** A body that is no JSON is nothing instead of a mistake: hosts take any answer but 200 for a failure. */
  takesAnyBody?: true
  /** Calls a minute, from everybody together; only for what is expensive. */
  perMinute?: number
  /** Its errors also carry `status: "error"` and `message`, as clients of its predecessors read them. */
  statusInErrors?: true
}

export const defineRoute = <const R extends Route>(route: R): R => route

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type Given<T> = T extends z.ZodType ? z.input<T> : undefined
type Part<R, K extends 'params' | 'query' | 'body'> = R extends { [Key in K]: infer T }
  ? T
  : undefined

/** What a handler gets, checked. */
export interface RouteInput<R extends Route> {
  params: Parsed<Part<R, 'params'>>
  query: Parsed<Part<R, 'query'>>
  body: Parsed<Part<R, 'body'>>
}

/** What a client hands over; parts that a route does not have are left out. */
export type RouteRequest<R extends Route> = {
  [K in 'params' | 'query' | 'body' as Part<R, K> extends z.ZodType ? K : never]: Given<Part<R, K>>
}

export type RouteAnswer<R extends Route> = R['answer'] extends z.ZodType
  ? z.output<R['answer']>
  : unknown
