import { DatabaseSync } from 'node:sqlite'
import { reasonOf } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'

export interface DatabaseCheck {
  /** Its `user_version`; undefined if it cannot be read. */
  schema?: number
  /** What is wrong with it; undefined if nothing is. */
  damage?: string
}

/**
 * Reads a database and reports damage. `quick` skips the comparison of indexes with their tables.
 * Throws if it cannot be looked at for another reason, such as a lock or missing permissions.
 */
export const checkDatabase = (file: string, { quick }: { quick: boolean }): DatabaseCheck => {
  let database: DatabaseSync | undefined
  let schema: number | undefined
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
    schema = Number(database.prepare('PRAGMA user_version').get()?.user_version)
    const pragma = quick ? 'quick_check' : 'integrity_check'
    const rows = database.prepare(`PRAGMA ${pragma}(${MAX_PROBLEMS})`).all()
    const said = rows.map((row) => String(Object.values(row)[0]))
    if (said.length === 1 && said[0] === 'ok') return { schema }
    return { schema, damage: said.join('; ').replaceAll('\n', ' ') }
  } catch (thrown) {
    const code = sqliteCodeOf(thrown)
    if (code !== SQLITE.corrupt && code !== SQLITE.notadb) throw thrown
    return { ...(schema === undefined ? {} : { schema }), damage: reasonOf(thrown) }
  } finally {
    database?.close()
  }
}

const BUSY_TIMEOUT_MS = 5000
const MAX_PROBLEMS = 5
