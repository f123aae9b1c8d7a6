/** `OUTBOX_MIGRATIONS[n]` migrates schema n to n + 1; published migrations are never changed. */
export const OUTBOX_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    notice TEXT NOT NULL,
    channel TEXT NOT NULL,
    kind TEXT,
    session_id TEXT,
    title TEXT NOT NULL,
    message TEXT NOT NULL,
    priority INTEGER NOT NULL,
    tags TEXT NOT NULL,
    click TEXT,
    color INTEGER,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    count INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    finished_at INTEGER,
    detail TEXT
  ) STRICT;
  CREATE INDEX deliveries_waiting ON deliveries (channel, attempts, priority) WHERE state = 'waiting';
  CREATE INDEX deliveries_same ON deliveries (digest, created_at);

  CREATE TABLE attempts (channel TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE INDEX attempts_by_channel ON attempts (channel, at);

  CREATE TABLE channels (
    name TEXT PRIMARY KEY,
    failures INTEGER NOT NULL DEFAULT 0,
    rest_until INTEGER NOT NULL DEFAULT 0,
    last_delivered_at INTEGER,
    last_error TEXT,
    last_error_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE task_starts (
    session_id TEXT PRIMARY KEY,
    started_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE taken (
    key TEXT PRIMARY KEY,
    notice TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE deliveries ADD COLUMN held_until INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX deliveries_by_notice ON deliveries (notice);
  `,
  `
  ALTER TABLE deliveries ADD COLUMN attempt_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE deliveries ADD COLUMN questions INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE deliveries ADD COLUMN is_repeat INTEGER NOT NULL DEFAULT 0;
  UPDATE deliveries SET attempt_at = created_at
    WHERE state = 'waiting' AND attempts > 0 AND detail IS NULL;
  CREATE INDEX deliveries_in_doubt ON deliveries (channel) WHERE attempt_at > 0;
  `,
]
