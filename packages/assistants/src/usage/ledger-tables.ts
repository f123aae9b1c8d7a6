/**
 * A call has little of its own: what many calls share is in its context, without a value where there
 * is none. `source` is `record` for a row of an assistant, `logs` or `metrics` for what an assistant
 * sent by itself, and `rest` for what totals contain beyond the rows.
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

/** The first two were never released: what they stored is read again. */
export const MIGRATIONS = ['', '', TABLES]

/** Created after the first import, which is faster without them. */
export const INDEXES = [
  'CREATE INDEX IF NOT EXISTS calls_by_time ON call_rows (at_ms)',
  'CREATE INDEX IF NOT EXISTS calls_by_context ON call_rows (context)',
]
export const DROP_INDEXES = [
  'DROP INDEX IF EXISTS calls_by_time',
  'DROP INDEX IF EXISTS calls_by_context',
]
export const HAS_INDEXES = `SELECT 1 FROM sqlite_schema WHERE name = 'calls_by_context'`
