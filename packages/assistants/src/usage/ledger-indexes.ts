import { type Connection, SQLITE, sqliteCodeOf } from '@steward/platform'
import { DROP_INDEXES, DROP_REPEATED, HAS_INDEXES, INDEXES } from './ledger-tables.ts'

/** Whether no first import is under way, also one of a process that was killed. */
export const hasIndexes = ({ statement }: Connection): boolean =>
  statement(HAS_INDEXES).get() !== undefined

/**
 * Before the first import. Until it ends, a call that was copied into the file of another session is
 * there twice.
 */
export const dropIndexes = ({ statement }: Connection): void => {
  for (const sql of DROP_INDEXES) statement(sql).run()
}

export const addIndexes = ({ statement }: Connection): void => {
  for (const sql of INDEXES) {
    try {
      statement(sql).run()
    } catch (thrown) {
      if (sqliteCodeOf(thrown) !== SQLITE.constraint) throw thrown
      statement(DROP_REPEATED).run()
      statement(sql).run()
    }
  }
}
