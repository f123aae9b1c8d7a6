import type { HostedRoute } from '@steward/contract'
import type { HttpContext, RawInput } from '@steward/http'
import type { z } from 'zod'
import type { Tx } from '../database/tx.ts'
import type { StoredKey } from '../keys/key.ts'

/** What is known about a call besides its validated input. */
export interface Call {
  key: StoredKey
  nowMs: number
  header(name: string): string | undefined
  /** Headers that every response to this call carries. */
  headers: Readonly<Record<string, string>>
  /** The connection, for responses that are not JSON: streams and files. */
  context: HttpContext
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type Part<R, K extends 'params' | 'query' | 'body'> = R extends { [Key in K]: infer T }
  ? T
  : undefined

/** The validated input of a handler. */
export interface Input<R extends HostedRoute> {
  params: Parsed<Part<R, 'params'>>
  query: Parsed<Part<R, 'query'>>
  body: Parsed<Part<R, 'body'>>
}

/** Events as stored in the log; they were validated when they were written. */
export interface LoggedEvents {
  data: readonly Readonly<Record<string, unknown>>[]
  next_page?: string | null
}

export type Answer<R extends HostedRoute> = R['answer'] extends z.ZodType
  ? z.input<R['answer']> | LoggedEvents
  : Response

interface Common {
  route: HostedRoute
}

/** Reads, in one snapshot. */
interface ReadHandler extends Common {
  kind: 'read'
  /**
   * Declared as a method so that a handler for one route's input is assignable; it only ever gets
   * that route's input.
   */
  answer(input: RawInput, call: Call): Tx<unknown>
}

/** Writes, in one transaction that is on disk before the response is sent. */
export interface ChangeHandler extends Common {
  kind: 'change'
  answer(input: RawInput, call: Call): Tx<unknown>
  /** Runs after the commit; its failures are only logged. */
  after?(input: RawInput): Promise<void>
}

/** Everything that does not fit one transaction; `null` responds with 204. */
interface OpenHandler extends Common {
  kind: 'open'
  answer(input: RawInput, call: Call): Promise<unknown>
}

export type Handler = ReadHandler | ChangeHandler | OpenHandler

export const reads = <R extends HostedRoute>(
  route: R,
  answer: (input: Input<R>, call: Call) => Tx<Answer<R>>,
): Handler => ({ kind: 'read', route, answer })

export const changes = <R extends HostedRoute>(
  route: R,
  answer: (input: Input<R>, call: Call) => Tx<Answer<R>>,
  after?: (input: Input<R>) => Promise<void>,
): Handler => ({ kind: 'change', route, answer, ...(after === undefined ? {} : { after }) })

export const opens = <R extends HostedRoute>(
  route: R,
  answer: (input: Input<R>, call: Call) => Promise<Answer<R> | Response | null>,
): Handler => ({ kind: 'open', route, answer })
