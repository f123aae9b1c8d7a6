import { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'
import type { KeyNeed } from '../key.ts'

/** The value that `anthropic-beta` must contain per family of routes; null requires none. */
export const BETA_FAMILIES = {
  agents: 'managed-agents-2026-04-01',
  files: null,
  skills: null,
  memory: 'agent-memory-2026-07-22',
  models: null,
  webhooks: 'webhooks-2026-10-07',
} as const
export type BetaFamily = keyof typeof BETA_FAMILIES

/**
 * One endpoint of the hosted agent API; the server, `openapi-hosted.json` and its page are derived
 * from it.
 */
export interface HostedRoute extends KeyNeed {
  method: 'GET' | 'POST' | 'DELETE'
  /** `:name` stands for one path segment. */
  path: string
  /** A second path with the same handler. */
  alsoAt?: string
  summary: string
  family: BetaFamily
  params?: z.ZodObject
  /** Parsed with `readQuery`; unknown keys are ignored. */
  query?: z.ZodObject
  body?: z.ZodType
  /** The fields of a multipart form in addition to its files. */
  form?: z.ZodObject
  /** The field of the form's files; by default one file in `file`. */
  formFiles?: 'files[]'
  /** `event-stream` and `bytes` are answers that are not JSON. */
  answer: z.ZodType | 'event-stream' | 'bytes'
  /** The answer may be empty: 204. */
  mayBeEmpty?: true
  errors?: readonly ErrorCode[]
}

export const defineHostedRoute = <const R extends HostedRoute>(route: R): R => route

/** A list in a query; a single value counts as a list of one. */
export const queryList = <Item extends z.ZodType>(item: Item) =>
  z.union([z.array(item), item.transform((one) => [one])]).optional()
