import { SHOWN } from './session-filter.ts'
import { SESSION_TEXTS } from './session-texts.ts'

/** The logs and the ledger of usage hold everything, so a file of another version or a damaged one is made again. */
export const SCHEMA = {
  version: 6,
  drop: [
    ...['session_groups', 'session_texts', 'places', 'files', 'hours', 'sessions'],
    ...['hosts', 'projects', 'totals', 'recorded'],
  ]
    .map((name) => `DROP TABLE IF EXISTS ${name};`)
    .join(''),
  create: `
    CREATE TABLE sessions (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL DEFAULT '',
      prompt TEXT, host TEXT NOT NULL DEFAULT '', project TEXT, status TEXT NOT NULL DEFAULT 'working',
      status_ms INTEGER NOT NULL DEFAULT 0, started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
      ended_ms INTEGER, start_source TEXT, model TEXT, prompts INTEGER NOT NULL DEFAULT 0,
      tool_calls INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
      subagents INTEGER NOT NULL DEFAULT 0, last_message TEXT,
      shown INTEGER NOT NULL AS (${SHOWN})
    );
    CREATE INDEX sessions_by_activity ON sessions (last_ms DESC, id);
    CREATE INDEX shown_sessions ON sessions (last_ms DESC, id, status, host, project) WHERE ${SHOWN};
    CREATE INDEX sessions_by_host ON sessions (host, last_ms DESC, id, status, project) WHERE ${SHOWN};
    CREATE INDEX sessions_by_project ON sessions (project, last_ms DESC, id, status, host) WHERE ${SHOWN};
    CREATE INDEX sessions_by_lower_id ON sessions (lower(id));
    CREATE TABLE hosts (host TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE projects (project TEXT PRIMARY KEY, last_ms INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX projects_by_activity ON projects (last_ms DESC);
    CREATE TABLE totals (shown INTEGER NOT NULL);
    INSERT INTO totals VALUES (0);
    CREATE TRIGGER session_added AFTER INSERT ON sessions BEGIN
      UPDATE totals SET shown = shown + new.shown;
    END;
    CREATE TRIGGER session_changed AFTER UPDATE ON sessions WHEN old.shown <> new.shown BEGIN
      UPDATE totals SET shown = shown + new.shown - old.shown;
    END;
    ${SESSION_TEXTS}
    CREATE TABLE files (
      number INTEGER PRIMARY KEY, source TEXT NOT NULL, inode TEXT NOT NULL,
      fingerprint TEXT NOT NULL, read_to INTEGER NOT NULL, places INTEGER NOT NULL DEFAULT 0,
      UNIQUE (source, inode, fingerprint)
    );
    CREATE TABLE places (
      session INTEGER NOT NULL, at_ms INTEGER NOT NULL, row INTEGER NOT NULL,
      file INTEGER NOT NULL, first INTEGER NOT NULL, after INTEGER NOT NULL,
      PRIMARY KEY (session, at_ms, row)
    ) WITHOUT ROWID;
    CREATE INDEX places_by_time ON places (at_ms, row, file);
    CREATE INDEX places_by_file ON places (file, at_ms, row);
    CREATE TABLE recorded (context INTEGER NOT NULL, quarter INTEGER NOT NULL);
    INSERT INTO recorded VALUES (0, 0);
    CREATE TABLE hours (
      hour INTEGER PRIMARY KEY, events INTEGER NOT NULL, failures INTEGER NOT NULL
    );`,
}
