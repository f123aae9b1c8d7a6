import type { Database } from '@steward/platform'
import type { PayloadFiles } from './payload-files.ts'

const CHUNK_FILES = 100

const UNUSED = `SELECT hash FROM payload_files AS file
  WHERE NOT EXISTS (SELECT 1 FROM payload_refs WHERE hash = file.hash) LIMIT ?`

/**
 * Removes payload files that no run refers to. Runs inside write transactions, as storing does, so
 * that no other process can start to rely on a file while it is removed.
 */
export const removeUnusedFiles = async (
  database: Database,
  files: PayloadFiles,
): Promise<number> => {
  let removed = 0
  for (;;) {
    const count = await database.write(({ statement }) => {
      const unused = statement(UNUSED).all(CHUNK_FILES)
      for (const { hash } of unused) {
        // A crash before the commit leaves a row without a file, which the next pruning removes.
        files.remove(String(hash))
        statement('DELETE FROM payload_files WHERE hash = ?').run(String(hash))
      }
      return unused.length
    })
    removed += count
    if (count < CHUNK_FILES) return removed
  }
}

/** Removes files left by a process that was killed between writing one and its commit. */
export const removeStrayFiles = async (
  database: Database,
  files: PayloadFiles,
): Promise<number> => {
  let removed = 0
  for (const names of files.list()) {
    const isStray = (name: string): boolean =>
      database.statement('SELECT 1 FROM payload_files WHERE hash = ?').get(name) === undefined
    if (!names.some(isStray)) continue
    removed += await database.write(() => {
      const strays = names.filter(isStray)
      for (const name of strays) files.remove(name)
      return strays.length
    })
  }
  return removed
}
