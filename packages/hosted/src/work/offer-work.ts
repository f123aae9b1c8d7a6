import { execute, query, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import type { StoredSession } from '../log/stored-session.ts'
import { NEW_WORK_BODY } from './stored-work.ts'

/** How long finished work remains visible. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Queues a session of a self-hosted environment, unless it is already queued or a worker has it.
 */
export function* offerWork(session: StoredSession, nowMs: number): Tx<void> {
  if (session.body.environment.type !== 'self_hosted') return
  const [row] = yield* query(
    "SELECT id FROM work WHERE session_id = $1 AND state IN ('queued', 'starting', 'active') LIMIT 1",
    session.id,
  )
  if (row !== undefined) return
  yield* execute(
    "DELETE FROM work WHERE environment_id = $1 AND state = 'stopped' AND stopped_ms <= $2",
    session.environmentId,
    nowMs - KEPT_MS,
  )
  yield* execute(
    `INSERT INTO work (id, environment_id, session_id, state, body, created_ms)
     VALUES ($1, $2, $3, 'queued', $4, $5)`,
    createId('work'),
    session.environmentId,
    session.id,
    JSON.stringify(NEW_WORK_BODY),
    nowMs,
  )
}
