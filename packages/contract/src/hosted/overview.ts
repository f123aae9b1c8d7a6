import { z } from 'zod'
import { hostedId, instant } from './instant.ts'
import { HOSTED_SESSION_STATUSES } from './session.ts'
import { STOP_REASONS } from './stop-reason.ts'

/** The file in the data home in which a hosted agent server registers its address. */
export const HOSTED_SERVER_FILE = 'hosted/server.json'

const count = z.int().nonnegative()
const dollars = z.number().nonnegative()

/** A call that waits for an answer. */
export const waitingCall = z.object({
  /** The id of the event; answers refer to it. */
  id: hostedId,
  tool: z.string(),
  /** Never cut, so that people see everything they allow. */
  input: z.record(z.string(), z.unknown()),
  at: instant,
  /**
   * `permission`: a person decides. `result`: a client program executes it. `worker`: a worker
   * executes it.
   */
  needs: z.enum(['permission', 'result', 'worker']),
})
export type WaitingCall = z.infer<typeof waitingCall>

/** An event of the log with its position and time. */
export const loggedEvent = z.looseObject({
  seq: z.int().positive(),
  at: instant,
  id: hostedId,
  type: z.string(),
})
export type LoggedEvent = z.infer<typeof loggedEvent>

/** A session as shown in lists for people. */
export const sessionRow = z.object({
  id: hostedId,
  title: z.string().nullable(),
  agent: z.object({ id: hostedId, name: z.string(), version: z.int() }),
  model: z.string(),
  environmentId: hostedId,
  status: z.enum(HOSTED_SESSION_STATUSES),
  /** Why it is idle. */
  stopReason: z.enum(STOP_REASONS).nullable(),
  waiting: z.array(waitingCall),
  tokens: z.object({ input: count, output: count, cacheRead: count, cacheWrite: count }),
  /** At list prices. `isLowerBound`: a model without a known price was called.
   * `isEstimated`: calls without an answer are in it as an estimate. */
  cost: z.object({
    tokenUsd: dollars,
    timeUsd: dollars,
    totalUsd: dollars,
    isLowerBound: z.boolean(),
    isEstimated: z.boolean(),
  }),
  activeMs: z.number().nonnegative(),
  budgetUsd: dollars.nullable(),
  createdAt: instant,
  updatedAt: instant,
  archivedAt: instant.nullable(),
})
export type SessionRow = z.infer<typeof sessionRow>

/** Answer of `GET /v1/steward/sessions`, newest first. */
export const sessionsOverview = z.object({
  sessions: z.array(sessionRow.extend({ last: loggedEvent.nullable() })),
  /** Older ones exist. */
  more: z.boolean(),
})
export type SessionsOverview = z.infer<typeof sessionsOverview>

export const overviewQuery = z.object({ archived: z.stringbool().default(false) })

/** Answer of `GET /v1/steward/sessions/{id}/log`: events in order. */
export const sessionLog = z.object({
  session: sessionRow,
  events: z.array(loggedEvent),
  /** Whether events exist before the first and after the last of these. */
  earlier: z.boolean(),
  later: z.boolean(),
})
export type SessionLog = z.infer<typeof sessionLog>

const place = z.coerce.number().int().nonnegative()
/**
 * `after` reads forward, `before` reads backward; without either the newest events are returned.
 */
export const logQuery = z.object({
  after: place.optional(),
  before: place.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(200),
})
export type LogQuery = z.infer<typeof logQuery>
