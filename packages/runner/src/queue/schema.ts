/**
 * Messages of all queues. `due_at`: from when a message may be handed out; while it is leased, when
 * the lease ends. `ready` walks one queue by it.
 */
export const QUEUE_MIGRATIONS = [
  `
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    sent_at REAL NOT NULL,
    due_at REAL NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    lease TEXT
  ) STRICT;
  CREATE INDEX ready ON messages (queue, due_at, seq);
  `,
] as const
