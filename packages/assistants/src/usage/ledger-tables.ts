import { PARTS } from './ledger-parts.ts'

/**
 * A call has little of its own: what many calls share is in its context, without a value where there
 * is none. `source` is `record` for a row of an assistant, `copy` for one that a fork copied, `logs` or
 * `metrics` for what an assistant sent by itself, and `rest` for what totals contain beyond the rows.
 */
const TABLES = `
  DROP TABLE IF EXISTS calls;
  DROP TABLE IF EXISTS totals;
  DROP TABLE IF EXISTS files;
  DROP TABLE IF EXISTS sessions;
  DROP TABLE IF EXISTS progress;
  DROP TABLE IF EXISTS windows;
  CREATE TABLE contexts (
    id INTEGER PRIMARY KEY, assistant TEXT NOT NULL, session TEXT NOT NULL, source TEXT NOT NULL,
    model TEXT NOT NULL, subagent TEXT NOT NULL, project TEXT NOT NULL, branch TEXT NOT NULL,
    flow TEXT NOT NULL,
    UNIQUE (assistant, session, source, model, subagent, project, branch, flow)
  ) STRICT;
  CREATE INDEX contexts_by_subagent ON contexts (assistant, subagent) WHERE subagent <> '';
  CREATE TABLE call_rows (
    key INTEGER PRIMARY KEY, context INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL,
    reported_nano INTEGER, computed_nano INTEGER
  ) STRICT;
  CREATE VIEW calls AS
    SELECT at_ms, input, output, cache_read, cache_write_5m, cache_write_1h, reported_nano,
      computed_nano, assistant, session, source, model, nullif(subagent, '') AS subagent,
      nullif(project, '') AS project, nullif(branch, '') AS branch, nullif(flow, '') AS flow
    FROM call_rows JOIN contexts ON contexts.id = context;
  CREATE TABLE totals (
    assistant TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL, at_ms INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    cache_write INTEGER NOT NULL, inherited_input INTEGER NOT NULL,
    inherited_output INTEGER NOT NULL, inherited_cache_read INTEGER NOT NULL,
    inherited_cache_write INTEGER NOT NULL,
    PRIMARY KEY (assistant, session, model)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE files (
    path TEXT PRIMARY KEY, stamp TEXT NOT NULL, offset INTEGER NOT NULL, memory TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sessions (
    assistant TEXT NOT NULL, session TEXT NOT NULL, title TEXT NOT NULL,
    PRIMARY KEY (assistant, session)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1), done INTEGER NOT NULL, total INTEGER NOT NULL,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE windows (
    assistant TEXT NOT NULL, minutes INTEGER NOT NULL, used_percent REAL NOT NULL,
    resets_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (assistant, minutes)
  ) STRICT, WITHOUT ROWID;
`

/**
 * Calls of a context are beside each other, by quarters of an hour, so that those of a file are stored
 * together, and sums need no sorting. A context is found by a hash of its values; contexts from before
 * have none, and new calls get others.
 */
const CLUSTERED = `
  DROP VIEW calls;
  CREATE TABLE new_contexts (
    id INTEGER PRIMARY KEY, hash INTEGER UNIQUE, assistant TEXT NOT NULL, session TEXT NOT NULL,
    source TEXT NOT NULL, model TEXT NOT NULL, subagent TEXT NOT NULL, project TEXT NOT NULL,
    branch TEXT NOT NULL, flow TEXT NOT NULL
  ) STRICT;
  INSERT INTO new_contexts
    SELECT id, NULL, assistant, session, source, model, subagent, project, branch, flow
    FROM contexts;
  DROP TABLE contexts;
  ALTER TABLE new_contexts RENAME TO contexts;
  CREATE INDEX contexts_by_session ON contexts (session);
  CREATE INDEX contexts_by_subagent ON contexts (subagent) WHERE subagent <> '';
  CREATE INDEX contexts_sent ON contexts (session) WHERE source IN ('logs', 'metrics');
  CREATE TABLE new_rows (
    key INTEGER NOT NULL UNIQUE, context INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL,
    reported_nano INTEGER, computed_nano INTEGER, quarter INTEGER NOT NULL,
    PRIMARY KEY (context, quarter, key)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_rows SELECT *, at_ms / 900000 FROM call_rows ORDER BY context, at_ms;
  DROP TABLE call_rows;
  ALTER TABLE new_rows RENAME TO call_rows;
  CREATE VIEW calls AS
    SELECT at_ms, input, output, cache_read, cache_write_5m, cache_write_1h, reported_nano,
      computed_nano, assistant, session, source, model, nullif(subagent, '') AS subagent,
      nullif(project, '') AS project, nullif(branch, '') AS branch, nullif(flow, '') AS flow
    FROM call_rows JOIN contexts ON contexts.id = context;
`

/** The index that the first import does without; it tells whether that has ended. */
export const KEY_INDEX = 'CREATE UNIQUE INDEX calls_by_key ON call_rows (key)'
export const DROP_KEY_INDEX = 'DROP INDEX IF EXISTS calls_by_key'
export const HAS_KEY_INDEX = `SELECT 1 FROM sqlite_schema WHERE name = 'calls_by_key'`

/** The first import does without these, too: finding the place of each new context takes time. */
export const CONTEXT_INDEXES = {
  contexts_by_session: 'session',
  contexts_by_last_quarter: 'last_quarter',
} as const

/** The index of keys can be dropped: finding the place of each in it took most of the first import. */
const DROPPABLE = `
  DROP VIEW calls;
  CREATE TABLE new_rows (
    key INTEGER NOT NULL, context INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL,
    reported_nano INTEGER, computed_nano INTEGER, quarter INTEGER NOT NULL,
    PRIMARY KEY (context, quarter, key)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_rows SELECT * FROM call_rows;
  DROP TABLE call_rows;
  ALTER TABLE new_rows RENAME TO call_rows;
  ${KEY_INDEX};
  CREATE INDEX calls_by_time ON call_rows (at_ms);
  CREATE VIEW calls AS
    SELECT at_ms, input, output, cache_read, cache_write_5m, cache_write_1h, reported_nano,
      computed_nano, assistant, session, source, model, nullif(subagent, '') AS subagent,
      nullif(project, '') AS project, nullif(branch, '') AS branch, nullif(flow, '') AS flow
    FROM call_rows JOIN contexts ON contexts.id = context;
`

/** Calls of a time are found by the contexts that have some: there are much fewer contexts than calls. */
const LAST_QUARTERS = `
  DROP VIEW calls;
  DROP INDEX IF EXISTS calls_by_time;
  ALTER TABLE contexts ADD COLUMN last_quarter INTEGER NOT NULL DEFAULT 0;
  UPDATE contexts SET last_quarter =
    coalesce((SELECT max(quarter) FROM call_rows WHERE context = contexts.id), 0);
  CREATE INDEX contexts_by_last_quarter ON contexts (last_quarter);
  CREATE VIEW calls AS
    SELECT at_ms, quarter, input, output, cache_read, cache_write_5m, cache_write_1h, reported_nano,
      computed_nano, assistant, session, source, model, nullif(subagent, '') AS subagent,
      nullif(project, '') AS project, nullif(branch, '') AS branch, nullif(flow, '') AS flow,
      last_quarter
    FROM call_rows JOIN contexts ON contexts.id = context;
`

/** What the computed costs come from: the list prices, and a person's own. */
const PRICES = `
  CREATE TABLE prices (
    one INTEGER PRIMARY KEY CHECK (one = 1), list TEXT NOT NULL, own TEXT NOT NULL
  ) STRICT;
`

/** The calls of a fork until then are part of the total that it inherited. */
const INHERITED_AT = 'ALTER TABLE totals ADD COLUMN inherited_at_ms INTEGER NOT NULL DEFAULT 0'

export const MIGRATIONS = [
  // The first two were never released: what they stored is read again.
  ...['', '', TABLES, CLUSTERED, DROPPABLE, LAST_QUARTERS, PRICES, PARTS],
  INHERITED_AT,
]

/**
 * Several files may contain rows of one call. The row with the most output counts; of equal ones, a row
 * that was not copied.
 */
export const DROP_REPEATED = `DELETE FROM call_rows WHERE (context, quarter, key) IN (
  SELECT context, quarter, key FROM (
    SELECT context, quarter, key,
      row_number() OVER (
        PARTITION BY key ORDER BY output DESC, source = 'copy', context) AS place
    FROM call_rows JOIN contexts ON contexts.id = context WHERE key IN (SELECT key FROM call_rows GROUP BY key HAVING count(*) > 1)
  ) WHERE place > 1)`
