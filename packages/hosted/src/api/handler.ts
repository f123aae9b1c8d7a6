import type { HostedRoute } from '@steward/contract'
import type { HttpContext, RawInput } from '@steward/http'
import type { z } from 'zod'
import type { Tx } from '../database/tx.ts'
import type { StoredKey } from '../keys/key.ts'

/** What is known of a call beside its checked input. */
export interface Call {
  key: StoredKey
  nowMs: number
  header(name: string): string | undefined
  /** What every answer to this call carries. */
  headers: Readonly<Record<string, string>>
  /** The connection, for what is no JSON: streams and files. */
  context: HttpContext
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type Part<R, K extends 'params' | 'query' | 'body'> = R extends { [Key in K]: infer T }
  ? T
  : undefined

/** What a handler gets, checked. */
export interface Input<R extends HostedRoute> {
  params: Parsed<Part<R, 'params'>>
  query: Parsed<Part<R, 'query'>>
  body: Parsed<Part<R, 'body'>>
}

/** Events as the log has them: they were checked when they were written. */
export interface LoggedEvents {
  data: readonly Readonly<Record<string, unknown>>[]
  next_page?: string | null
}

/** What a handler answers with. */
export type Answer<R extends HostedRoute> = R['answer'] extends z.ZodType
  ? z.input<R['answer']> | LoggedEvents
  : Response

interface Common {
  route: HostedRoute
}

/** Looks things up, in one snapshot. */
interface ReadHandler extends Common {
  kind: 'read'
  /** A method, so that a handler of one route's input is a handler: it is handed that route's. */
  answer(input: RawInput, call: Call): Tx<unknown>
}

/** Changes things, in one transaction that is on disk before the answer goes out. */
export interface ChangeHandler extends Common {
  kind: 'change'
  answer(input: RawInput, call: Call): Tx<unknown>
  /** Runs after the commit; whatever it fails at is told to the log alone. */
  after?(input: RawInput): Promise<void>
}

/** Everything that is not one transaction; `null` is 204. */
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
