import { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'
import type { KeyNeed } from '../key.ts'

/** What `anthropic-beta` has to name for each family of routes; null needs nothing. */
export const BETA_FAMILIES = { agents: 'managed-agents-2026-04-01', files: null } as const
export type BetaFamily = keyof typeof BETA_FAMILIES

/** One endpoint of the hosted agent API: the server, `openapi-hosted.json` and its page come from it. */
export interface HostedRoute extends KeyNeed {
  method: 'GET' | 'POST' | 'DELETE'
  /** `:name` stands for one path segment. */
  path: string
  /** A second path with the same handler. */
  alsoAt?: string
  summary: string
  family: BetaFamily
  params?: z.ZodObject
  /** Read with `readQuery`; keys that are not named are ignored. */
  query?: z.ZodObject
  body?: z.ZodType
  /** The fields of a multipart form beside its `file`. */
  form?: z.ZodObject
  /** `event-stream` and `bytes` are answers that are not JSON. */
  answer: z.ZodType | 'event-stream' | 'bytes'
  /** It may have nothing to say: 204. */
  mayBeEmpty?: true
  errors?: readonly ErrorCode[]
}

export const defineHostedRoute = <const R extends HostedRoute>(route: R): R => route

/** A list in a query, also when it was written as one value. */
export const queryList = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one) => [one])]).optional()
