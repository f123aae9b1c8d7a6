import { type Connection, SQLITE, sqliteCodeOf } from '@steward/platform'
import { unwatchCalls, watchCalls } from './ledger-parts.ts'
import {
  CONTEXT_INDEXES,
  DROP_KEY_INDEX,
  DROP_REPEATED,
  HAS_KEY_INDEX,
  KEY_INDEX,
} from './ledger-tables.ts'

/** Whether no first import is under way, also one of a process that was killed. */
export const hasKeyIndex = ({ statement }: Connection): boolean =>
  statement(HAS_KEY_INDEX).get() !== undefined

/**
 * Before the first import. Until it ends, a call that was copied into the file of another session is
 * there twice.
 */
export const dropKeyIndex = (connection: Connection): void => {
  connection.statement(DROP_KEY_INDEX).run()
  for (const name of Object.keys(CONTEXT_INDEXES)) {
    connection.statement(`DROP INDEX IF EXISTS ${name}`).run()
  }
  unwatchCalls(connection)
}

export const addKeyIndex = (connection: Connection): void => {
  const { statement } = connection
  try {
    statement(KEY_INDEX).run()
  } catch (thrown) {
    if (sqliteCodeOf(thrown) !== SQLITE.constraint) throw thrown
    statement(DROP_REPEATED).run()
    statement(KEY_INDEX).run()
  }
  for (const [name, columns] of Object.entries(CONTEXT_INDEXES)) {
    statement(`CREATE INDEX IF NOT EXISTS ${name} ON contexts (${columns})`).run()
  }
  watchCalls(connection)
}
