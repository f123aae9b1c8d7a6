import { HOSTED_LIMITS, type WorkItem, type WorkSecret } from '@steward/contract'
import { execute, one, type Tx } from '../database/tx.ts'
import { createKey } from '../keys/keys.ts'
import {
  type StoredWork,
  toStoredWork,
  toWorkItem,
  WORK_COLUMNS,
  writeWork,
} from './stored-work.ts'

/** The lifetime of a work item's token; heartbeats extend it. */
export const TOKEN_LIFE_MS = 60 * 60 * 1000

export interface Poll {
  environmentId: string
  /** Items that were handed out and not acknowledged for this long are handed out again. */
  reclaimMs: number
}

/** Hands out the longest waiting item, with a token for its session only. */
export function* pollWork({ environmentId, reclaimMs }: Poll, nowMs: number): Tx<WorkItem | null> {
  const row = yield* one(
    `SELECT ${WORK_COLUMNS} FROM work
     WHERE environment_id = $1 AND (
       (state = 'queued' AND (offered_ms IS NULL OR offered_ms <= $2 OR offered_ms > $5))
       OR (state IN ('starting', 'active') AND (lease_until_ms <= $3 OR lease_until_ms > $4)))
     ORDER BY created_ms, id LIMIT 1 FOR UPDATE SKIP LOCKED`,
    environmentId,
    nowMs - reclaimMs,
    nowMs,
    // No lease and no offer reaches further ahead unless the clock was set back.
    nowMs + HOSTED_LIMITS.heartbeatTtlMostSeconds * 1000,
    nowMs + reclaimMs,
  )
  if (row === undefined) return null
  // A worker whose lease expired is considered gone, so the item is reset.
  const offered: StoredWork = {
    ...toStoredWork(row),
    state: 'queued',
    offeredMs: nowMs,
    heartbeat: null,
    leaseUntilMs: null,
  }
  yield* writeWork(offered)
  yield* execute("DELETE FROM keys WHERE scope = 'session' AND expires_ms <= $1", nowMs)
  const { secret } = yield* createKey({
    name: `work ${offered.id}`,
    scope: 'session',
    environmentId,
    sessionId: offered.sessionId,
    workId: offered.id,
    nowMs,
    expiresMs: nowMs + TOKEN_LIFE_MS,
  })
  return toWorkItem(offered, toSecret({ sessions_token: secret }))
}

/** A worker counts as polling if it polled within this time. */
export const POLLING_MS = 30_000

/** Records pollers for the statistics and deletes old ones. */
export function* recordPoller(environmentId: string, workerId: string, nowMs: number): Tx<void> {
  yield* execute(
    'DELETE FROM pollers WHERE environment_id = $1 AND polled_ms <= $2',
    environmentId,
    nowMs - POLLING_MS,
  )
  yield* execute(
    `INSERT INTO pollers (environment_id, worker_id, polled_ms) VALUES ($1, $2, $3)
     ON CONFLICT (environment_id, worker_id) DO UPDATE SET polled_ms = $3`,
    environmentId,
    workerId,
    nowMs,
  )
}

const toSecret = (secret: WorkSecret): string =>
  Buffer.from(JSON.stringify(secret)).toString('base64url')
