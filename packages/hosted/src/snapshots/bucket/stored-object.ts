import { z } from 'zod'
import { execute, one, query, type Tx } from '../../database/tx.ts'
import type { ObjectMark } from './bucket.ts'

/** A piece of a snapshot as it is in a bucket. */
export interface StoredObject {
  bucket: string
  object: string
  sessionId: string
  snapshot: string
  position: number
}

const number = z.coerce.number()
const markRow = z.object({ object: z.string(), size: number, sha256: z.string() })
const goneRow = z.object({ object: z.string() })

/** Recorded before the object is put, so that a killed server leaves no unrecorded object. */
export function* announceObject(stored: StoredObject): Tx<void> {
  const { bucket, object, sessionId, snapshot, position } = stored
  yield* execute(
    `INSERT INTO snapshot_objects (bucket, object, session_id, snapshot, number, size)
     VALUES ($1, $2, $3, $4, $5, 0)`,
    bucket,
    object,
    sessionId,
    snapshot,
    position,
  )
}

export function* markObject(
  { bucket, object }: Pick<StoredObject, 'bucket' | 'object'>,
  { size, sha256 }: ObjectMark,
): Tx<void> {
  yield* execute(
    'UPDATE snapshot_objects SET size = $3, sha256 = $4 WHERE bucket = $1 AND object = $2',
    bucket,
    object,
    size,
    sha256,
  )
}

export function* findObject(
  sessionId: string,
  snapshot: string,
  position: number,
): Tx<(ObjectMark & { object: string }) | undefined> {
  const row = yield* one(
    `SELECT object, size, sha256 FROM snapshot_objects
     WHERE session_id = $1 AND snapshot = $2 AND number = $3 AND gone_ms IS NULL`,
    sessionId,
    snapshot,
    position,
  )
  return row === undefined ? undefined : markRow.parse(row)
}

/** The objects of a session will be deleted, all but those of one snapshot. */
export function* dropObjects(sessionId: string, nowMs: number, kept?: string): Tx<void> {
  yield* execute(
    `UPDATE snapshot_objects SET gone_ms = $2
     WHERE session_id = $1 AND snapshot <> $3 AND gone_ms IS NULL`,
    sessionId,
    nowMs,
    kept ?? '',
  )
}

/**
 * The object will be deleted, also if that was done before: it may have been put only after its row
 * was removed.
 */
export function* dropObject(stored: StoredObject, nowMs: number): Tx<void> {
  const { bucket, object, sessionId, snapshot, position } = stored
  yield* execute(
    `INSERT INTO snapshot_objects (bucket, object, session_id, snapshot, number, size, gone_ms)
     VALUES ($1, $2, $3, $4, $5, 0, $6)
     ON CONFLICT (bucket, object) DO UPDATE SET gone_ms = excluded.gone_ms`,
    bucket,
    object,
    sessionId,
    snapshot,
    position,
    nowMs,
  )
}

/** A server may have been killed while it stored files of a session that was deleted meanwhile. */
export function* dropOrphans(nowMs: number): Tx<void> {
  yield* execute(
    `UPDATE snapshot_objects SET gone_ms = $1
     WHERE gone_ms IS NULL AND session_id NOT IN (SELECT id FROM sessions)`,
    nowMs,
  )
}

export function* listGone(bucket: string, limit: number): Tx<string[]> {
  const rows = yield* query(
    `SELECT object FROM snapshot_objects WHERE bucket = $1 AND gone_ms IS NOT NULL
     ORDER BY gone_ms LIMIT ${limit}`,
    bucket,
  )
  return rows.map((row) => goneRow.parse(row).object)
}

export function* forgetObject(bucket: string, object: string): Tx<void> {
  yield* execute(
    'DELETE FROM snapshot_objects WHERE bucket = $1 AND object = $2 AND gone_ms IS NOT NULL',
    bucket,
    object,
  )
}
