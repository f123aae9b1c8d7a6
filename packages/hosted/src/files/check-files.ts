import { invalid } from '../api/refusal.ts'
import { one, type Tx } from '../database/tx.ts'

const ID = /^[\w-]+$/

/**
 * Checks that all these files exist; throws 400 otherwise, because the call names them in its body.
 */
export function* checkFiles(ids: readonly string[], nowMs: number): Tx<void> {
  for (const id of new Set(ids)) {
    const row = ID.test(id)
      ? yield* one(
          'SELECT id FROM files WHERE id = $1 AND (expires_ms IS NULL OR expires_ms > $2)',
          id,
          nowMs,
        )
      : undefined
    if (row === undefined) throw invalid('file_id', `there is no file ${id.slice(0, 128)}`)
  }
}
