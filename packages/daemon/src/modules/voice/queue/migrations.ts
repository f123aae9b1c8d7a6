/** The speech queue's schema; only ever added to. */
export const MIGRATIONS = [
  `CREATE TABLE lines (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     id TEXT NOT NULL UNIQUE,
     state TEXT NOT NULL CHECK (state IN ('waiting', 'speaking', 'ended')),
     priority INTEGER NOT NULL,
     same TEXT NOT NULL,
     text TEXT NOT NULL,
     manner TEXT NOT NULL,
     at INTEGER NOT NULL,
     fresh_at INTEGER NOT NULL,
     ended TEXT,
     ended_at INTEGER
   ) STRICT;
   CREATE INDEX lines_in_order ON lines (state, priority, seq);
   CREATE INDEX lines_by_content ON lines (same) WHERE state = 'waiting';
   CREATE TABLE mute (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL) STRICT`,
]
