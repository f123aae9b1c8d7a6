import { z } from 'zod'
import type { Row } from '../database/row.ts'
import { one, query, type Tx } from '../database/tx.ts'
import { type SessionBody, sessionBody } from './session-body.ts'
import { type SessionSummary, sessionSummary } from './summary.ts'

/** One row of `sessions`. */
export interface StoredSession {
  id: string
  environmentId: string
  deploymentId: string | null
  body: SessionBody
  summary: SessionSummary
  lastSeq: number
  leaseEpoch: number
  createdMs: number
  updatedMs: number
  archivedMs: number | null
}

const json = z.string().transform((text): unknown => JSON.parse(text))
const number = z.coerce.number()
const sessionRow = z.object({
  id: z.string(),
  environment_id: z.string(),
  deployment_id: z.string().nullable(),
  body: json.pipe(sessionBody),
  summary: json.pipe(sessionSummary),
  last_seq: number,
  lease_epoch: number,
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})

export const SESSION_COLUMNS =
  'id, environment_id, deployment_id, body, summary, last_seq, lease_epoch, created_ms, updated_ms, archived_ms'

export const toStoredSession = (row: Row): StoredSession => {
  const read = sessionRow.parse(row)
  return {
    id: read.id,
    environmentId: read.environment_id,
    deploymentId: read.deployment_id,
    body: read.body,
    summary: read.summary,
    lastSeq: read.last_seq,
    leaseEpoch: read.lease_epoch,
    createdMs: read.created_ms,
    updatedMs: read.updated_ms,
    archivedMs: read.archived_ms,
  }
}

/** The session; `hold` locks it until the transaction ends. */
export function* findSession(
  id: string,
  hold: 'hold' | 'look' = 'look',
): Tx<StoredSession | undefined> {
  const row = yield* one(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    id,
  )
  return row === undefined ? undefined : toStoredSession(row)
}

/** Writes the session's body; the caller must have locked the session. */
export function* writeSessionBody(id: string, body: SessionBody, nowMs: number): Tx<void> {
  yield* query(
    'UPDATE sessions SET body = $2, updated_ms = $3 WHERE id = $1',
    id,
    JSON.stringify(body),
    nowMs,
  )
}
