import { WORK_ITEM_STATES, type WorkItem, type WorkItemState } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { execute, one, type Tx } from '../database/tx.ts'

const number = z.coerce.number()
const moment = z.number().nullable()

/** Fields that no query filters by. */
const workBody = z.object({
  metadata: z.record(z.string(), z.string()),
  acknowledgedMs: moment,
  startedMs: moment,
  stopRequestedMs: moment,
  stoppedMs: moment,
})
export type WorkBody = z.infer<typeof workBody>

export const NEW_WORK_BODY: WorkBody = {
  metadata: {},
  acknowledgedMs: null,
  startedMs: null,
  stopRequestedMs: null,
  stoppedMs: null,
}

/** One row of `work`: a session that waits for a worker or has one. */
export interface StoredWork {
  id: string
  environmentId: string
  sessionId: string
  state: WorkItemState
  body: WorkBody
  createdMs: number
  offeredMs: number | null
  /** The exact last value, which the worker sends back. */
  heartbeat: string | null
  leaseUntilMs: number | null
}

const workRow = z.object({
  id: z.string(),
  environment_id: z.string(),
  session_id: z.string(),
  state: z.enum(WORK_ITEM_STATES),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(workBody),
  created_ms: number,
  offered_ms: number.nullable(),
  heartbeat: z.string().nullable(),
  lease_until_ms: number.nullable(),
})

export const WORK_COLUMNS =
  'id, environment_id, session_id, state, body, created_ms, offered_ms, heartbeat, lease_until_ms'

export const toStoredWork = (row: Row): StoredWork => {
  const read = workRow.parse(row)
  return {
    id: read.id,
    environmentId: read.environment_id,
    sessionId: read.session_id,
    state: read.state,
    body: read.body,
    createdMs: read.created_ms,
    offeredMs: read.offered_ms,
    heartbeat: read.heartbeat,
    leaseUntilMs: read.lease_until_ms,
  }
}

/** As clients see it; only the response to a poll contains the secret. */
export const toWorkItem = (work: StoredWork, secret: string | null = null): WorkItem => ({
  id: work.id,
  type: 'work',
  state: work.state,
  data: { type: 'session', id: work.sessionId },
  environment_id: work.environmentId,
  metadata: work.body.metadata,
  secret,
  created_at: toInstant(work.createdMs),
  acknowledged_at: toInstantOrNull(work.body.acknowledgedMs),
  started_at: toInstantOrNull(work.body.startedMs),
  latest_heartbeat_at: work.heartbeat,
  stop_requested_at: toInstantOrNull(work.body.stopRequestedMs),
  stopped_at: toInstantOrNull(work.body.stoppedMs),
})

export interface WorkPlace {
  environment_id: string
  work_id: string
}

export function* getWork(place: WorkPlace, hold: 'hold' | 'look' = 'look'): Tx<StoredWork> {
  const row = yield* one(
    `SELECT ${WORK_COLUMNS} FROM work WHERE id = $1 AND environment_id = $2${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('work', place.work_id),
    knownId('environment', place.environment_id, 'environment_not_found'),
  )
  if (row === undefined) throw notFound('work', place.work_id)
  return toStoredWork(row)
}

export function* writeWork(work: StoredWork): Tx<void> {
  yield* execute(
    `UPDATE work SET state = $2, body = $3, offered_ms = $4, heartbeat = $5, lease_until_ms = $6,
       stopped_ms = $7
     WHERE id = $1`,
    work.id,
    work.state,
    JSON.stringify(work.body),
    work.offeredMs,
    work.heartbeat,
    work.leaseUntilMs,
    work.body.stoppedMs,
  )
}
