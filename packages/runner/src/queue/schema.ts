/**
 * Messages of all queues. `due_at`: when a message may be delivered; during a lease, when the lease
 * ends. The index `ready` orders one queue by it.
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
