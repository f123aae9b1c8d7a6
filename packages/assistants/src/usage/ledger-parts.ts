import type { Connection } from '@steward/platform'

/** A conflict clause would be that of the statement that fires the trigger. */
const note = (context: string): string =>
  `INSERT INTO changed_contexts SELECT ${context}
   WHERE NOT EXISTS (SELECT 1 FROM changed_contexts WHERE context = ${context});`
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
 * Contexts whose calls have changed since are in `changed_contexts`, new ones from the start.
 */
export const PARTS = `
  CREATE TABLE parts (
    context INTEGER NOT NULL, quarter INTEGER NOT NULL, part_input INTEGER NOT NULL,
    part_output INTEGER NOT NULL, part_read INTEGER NOT NULL, part_write INTEGER NOT NULL,
    part_reported INTEGER, part_computed INTEGER, part_unpriced INTEGER NOT NULL,
    part_calls INTEGER NOT NULL, part_last_ms INTEGER NOT NULL,
    PRIMARY KEY (context, quarter)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE changed_contexts (context INTEGER PRIMARY KEY) STRICT;
  INSERT INTO changed_contexts SELECT id FROM contexts;
  CREATE TRIGGER context_added AFTER INSERT ON contexts
    BEGIN ${note('NEW.id')} END;
  ${WATCHES.join('\n')}
`

export const watchCalls = ({ statement }: Connection): void => {
  for (const watch of WATCHES) statement(watch).run()
}

/** An import of everything does without: all its contexts are new. */
export const unwatchCalls = ({ statement }: Connection): void => {
  for (const change of Object.keys(WATCHED)) {
    statement(`DROP TRIGGER IF EXISTS ${nameOf(change)}`).run()
  }
}

const areCallsWatched = ({ statement }: Connection): boolean =>
  statement('SELECT 1 FROM sqlite_schema WHERE name = ?').get(nameOf('INSERT')) !== undefined

/** Short enough that others who write hardly wait. */
const AT_ONCE = 500

/** Sums up some contexts that have changed; returns whether there are more. */
export const sumChanged = (connection: Connection): boolean => {
  const { statement } = connection
  if (!areCallsWatched(connection)) return false
  const some = `SELECT context FROM changed_contexts ORDER BY context LIMIT ${AT_ONCE}`
  statement(`DELETE FROM parts WHERE context IN (${some})`).run()
  statement(`INSERT INTO parts ${summed(`context IN (${some})`)}`).run()
  const { changes } = statement(`DELETE FROM changed_contexts WHERE context IN (${some})`).run()
  return Number(changes) === AT_ONCE
}

/** The conditions are on the context and the quarter. Changed contexts are summed up here. */
export const partsOf = (where: string): string =>
  `(SELECT * FROM parts WHERE ${where} AND context NOT IN (SELECT context FROM changed_contexts)
    UNION ALL
    ${summed(`${where} AND context IN (SELECT context FROM changed_contexts)`)})
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
