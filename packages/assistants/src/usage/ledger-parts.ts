import { type Connection, type Database, isLocked } from '@steward/platform'

const note = (context: string): string =>
  `UPDATE contexts SET is_changed = 1 WHERE id = ${context} AND is_changed = 0;`
/** The contexts that a change of a call concerns; an update may move it to another one. */
const WATCHED = {
  INSERT: ['NEW.context'],
  UPDATE: ['OLD.context', 'NEW.context'],
  DELETE: ['OLD.context'],
} as const
const nameOf = (change: string): string => `call_${change.toLowerCase()}`
const WATCHES = Object.entries(WATCHED).map(
  ([
    change,
    contexts,
  ]) => `CREATE TRIGGER IF NOT EXISTS ${nameOf(change)} AFTER ${change} ON call_rows
    BEGIN ${contexts.map(note).join(' ')} END;`,
)

/**
 * Calls summed up by context and quarter of an hour: much less to group and to join than single calls.
 * A context is marked if its calls have changed since; a new one is marked from the start.
 */
export const PARTS = `
  CREATE TABLE parts (
    context INTEGER NOT NULL, quarter INTEGER NOT NULL, part_input INTEGER NOT NULL,
    part_output INTEGER NOT NULL, part_read INTEGER NOT NULL, part_write INTEGER NOT NULL,
    part_reported INTEGER, part_computed INTEGER, part_unpriced INTEGER NOT NULL,
    part_calls INTEGER NOT NULL, part_last_ms INTEGER NOT NULL,
    PRIMARY KEY (context, quarter)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE contexts ADD COLUMN is_changed INTEGER NOT NULL DEFAULT 1;
  ${WATCHES.join('\n')}
`

export const watchCalls = ({ statement }: Connection): void => {
  for (const watch of WATCHES) statement(watch).run()
}

/** For an import of everything: all contexts stay marked until it ends. */
export const unwatchCalls = ({ statement }: Connection): void => {
  statement('UPDATE contexts SET is_changed = 1').run()
  for (const change of Object.keys(WATCHED)) {
    statement(`DROP TRIGGER IF EXISTS ${nameOf(change)}`).run()
  }
}

const areCallsWatched = ({ statement }: Connection): boolean =>
  statement('SELECT 1 FROM sqlite_schema WHERE name = ?').get(nameOf('INSERT')) !== undefined

const CHANGED = 'SELECT id FROM contexts WHERE is_changed = 1'

/** Short enough that others who write hardly wait. */
const AT_ONCE = 500

/** Sums up some contexts that have changed; returns whether there are more. */
const sumChanged = (connection: Connection): boolean => {
  const { statement } = connection
  if (!areCallsWatched(connection)) return false
  const some = `${CHANGED} ORDER BY id LIMIT ${AT_ONCE}`
  statement(`DELETE FROM parts WHERE context IN (${some})`).run()
  statement(`INSERT INTO parts ${summed(`context IN (${some})`)}`).run()
  const { changes } = statement(`UPDATE contexts SET is_changed = 0 WHERE id IN (${some})`).run()
  return Number(changes) === AT_ONCE
}

/**
 * Sums up what has changed. While another process imports, it keeps the file locked; a report then
 * sums up the rest itself.
 */
export const sumAllChanged = (database: Pick<Database, 'writeNow'>): void => {
  try {
    while (database.writeNow(sumChanged));
  } catch (thrown) {
    if (!isLocked(thrown)) throw thrown
  }
}

/** The conditions are on the context and the quarter. Changed contexts are summed up here. */
export const partsOf = (where: string): string =>
  `(SELECT * FROM parts WHERE ${where} AND context NOT IN (${CHANGED})
    UNION ALL
    ${summed(`${where} AND context IN (${CHANGED})`)})
   JOIN contexts ON contexts.id = context`

/** In the order in which calls are stored, so that nothing is sorted. */
const summed = (where: string): string =>
  `SELECT context, quarter, sum(input) AS part_input, sum(output) AS part_output,
     sum(cache_read) AS part_read, sum(cache_write_5m + cache_write_1h) AS part_write,
     sum(reported_nano) AS part_reported,
     sum(CASE WHEN reported_nano IS NULL THEN computed_nano END) AS part_computed,
     count(*) FILTER (WHERE reported_nano IS NULL AND computed_nano IS NULL) AS part_unpriced,
     count(*) AS part_calls, max(at_ms) AS part_last_ms
   FROM call_rows WHERE ${where} GROUP BY context, quarter`
