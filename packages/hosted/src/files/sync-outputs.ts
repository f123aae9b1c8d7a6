import type { SessionOutput } from '../api/ports.ts'
import { query, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { mimeTypeOf } from './mime-type.ts'
import { FILE_COLUMNS, toStoredFile } from './stored-file.ts'

/** Gives a session's outputs ids that stay, and forgets those that are gone. */
export function* syncOutputs(sessionId: string, outputs: readonly SessionOutput[]): Tx<void> {
  const rows = yield* query(
    `SELECT ${FILE_COLUMNS} FROM files WHERE session_id = $1 AND path IS NOT NULL`,
    sessionId,
  )
  const known = new Map(rows.map(toStoredFile).map((file) => [file.path, file]))
  for (const output of outputs) {
    const { path, sizeBytes, modifiedMs } = output
    const file = known.get(path)
    known.delete(path)
    const body = JSON.stringify({
      filename: path.split('/').at(-1) ?? path,
      mime_type: mimeTypeOf(path),
      size_bytes: sizeBytes,
      chunks: 0,
    })
    if (file === undefined)
      yield* query(
        `INSERT INTO files (id, body, session_id, path, created_ms) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
        createId('file'),
        body,
        sessionId,
        path,
        modifiedMs,
      )
    else if (file.body.size_bytes !== sizeBytes)
      yield* query('UPDATE files SET body = $2 WHERE id = $1', file.id, body)
  }
  for (const gone of known.values()) yield* query('DELETE FROM files WHERE id = $1', gone.id)
}
