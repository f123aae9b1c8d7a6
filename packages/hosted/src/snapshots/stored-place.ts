import { z } from 'zod'
import { execute, one, type Tx } from '../database/tx.ts'
import { dropObjects } from './bucket/stored-object.ts'

/** Where the files of a session are, and the copy of them that every server can read. */
export interface StoredPlace {
  /** The data home in which its tools acted last. */
  home: string
  /** Nothing was changed since the snapshot. */
  isSaved: boolean
  snapshot: StoredSnapshot | undefined
  /** Why the latest snapshot could not be stored. */
  problem: string | null
}

export interface StoredSnapshot {
  id: string
  /** Of names, sizes and times; equal if nothing has changed. */
  fingerprint: string | null
  chunks: number
  savedMs: number
  /** The bucket that has its pieces; null for the store. */
  bucket: string | null
}

const number = z.coerce.number()
const placeRow = z.object({
  home: z.string(),
  is_saved: number,
  snapshot: z.string().nullable(),
  fingerprint: z.string().nullable(),
  chunks: number,
  saved_ms: number,
  problem: z.string().nullable(),
  bucket: z.string().nullable(),
})

export function* findPlace(sessionId: string): Tx<StoredPlace | undefined> {
  const row = yield* one('SELECT * FROM session_places WHERE session_id = $1', sessionId)
  if (row === undefined) return undefined
  const { home, is_saved, snapshot, saved_ms, problem, ...kept } = placeRow.parse(row)
  return {
    home,
    isSaved: is_saved === 1,
    snapshot:
      snapshot === null
        ? undefined
        : {
            id: snapshot,
            fingerprint: kept.fingerprint,
            chunks: kept.chunks,
            savedMs: saved_ms,
            bucket: kept.bucket,
          },
    problem,
  }
}

/** From now on the files in this home count, and they differ from the snapshot. */
export function* takePlace(sessionId: string, home: string): Tx<void> {
  yield* execute(
    `INSERT INTO session_places (session_id, home, is_saved, chunks, saved_ms)
     VALUES ($1, $2, 0, 0, 0)
     ON CONFLICT (session_id) DO UPDATE SET home = excluded.home, is_saved = 0`,
    sessionId,
    home,
  )
}

/** The files equal the snapshot again. */
export function* confirmPlace(sessionId: string, home: string): Tx<void> {
  yield* execute(
    'UPDATE session_places SET is_saved = 1, problem = NULL WHERE session_id = $1 AND home = $2',
    sessionId,
    home,
  )
}

export function* recordProblem(sessionId: string, home: string, problem: string): Tx<void> {
  yield* execute(
    'UPDATE session_places SET is_saved = 0, problem = $3 WHERE session_id = $1 AND home = $2',
    sessionId,
    home,
    problem,
  )
}

export function* addChunk(
  sessionId: string,
  snapshot: string,
  position: number,
  content: Uint8Array,
): Tx<void> {
  yield* execute(
    'INSERT INTO snapshot_chunks (session_id, snapshot, number, content) VALUES ($1, $2, $3, $4)',
    sessionId,
    snapshot,
    position,
    content,
  )
}

export function* deleteChunks(sessionId: string, snapshot: string): Tx<void> {
  yield* execute(
    'DELETE FROM snapshot_chunks WHERE session_id = $1 AND snapshot = $2',
    sessionId,
    snapshot,
  )
}

/** Replaces the snapshot; false if the session has continued in another home meanwhile. */
export function* replaceSnapshot(
  sessionId: string,
  home: string,
  { id, fingerprint, chunks, savedMs, bucket }: StoredSnapshot,
): Tx<boolean> {
  const row = yield* one(
    `UPDATE session_places SET is_saved = 1, problem = NULL, snapshot = $3, fingerprint = $4,
       chunks = $5, saved_ms = $6, bucket = $7
     WHERE session_id = $1 AND home = $2 RETURNING home`,
    sessionId,
    home,
    id,
    fingerprint,
    chunks,
    savedMs,
    bucket,
  )
  if (row === undefined) return false
  // Also those of a server that was killed while it wrote them.
  yield* execute(
    'DELETE FROM snapshot_chunks WHERE session_id = $1 AND snapshot <> $2',
    sessionId,
    id,
  )
  yield* dropObjects(sessionId, savedMs, id)
  return true
}

const chunkRow = z.object({ content: z.instanceof(Uint8Array) })

export function* readChunk(
  sessionId: string,
  snapshot: string,
  position: number,
): Tx<Uint8Array | undefined> {
  const row = yield* one(
    'SELECT content FROM snapshot_chunks WHERE session_id = $1 AND snapshot = $2 AND number = $3',
    sessionId,
    snapshot,
    position,
  )
  return row === undefined ? undefined : chunkRow.parse(row).content
}
