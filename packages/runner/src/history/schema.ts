/**
 * The history's schema. `runs` holds what lists show; payloads are in `steps`, where a step's input
 * is null if it is the previous step's output. Row -1 of a run's steps holds the run's own input
 * and, if it differs from the last step's, its output. Payloads above the limit are files, and
 * their column holds the reference.
 *
 * `failed` and `running` runs are few, so partial indexes keep the usual commit small.
 */
export const HISTORY_MIGRATIONS = [
  `
  CREATE TABLE definitions (
    hash TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    redacted INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    primitive TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
    owner TEXT NOT NULL,
    version TEXT NOT NULL,
    definition TEXT NOT NULL,
    parent_id TEXT,
    flow TEXT,
    rerun_of TEXT,
    rerun_from INTEGER,
    idempotency_key TEXT,
    input_hash TEXT,
    started_at REAL NOT NULL,
    ended_at REAL,
    step_count INTEGER NOT NULL DEFAULT 0,
    spend TEXT,
    error TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_by_name ON runs (name, id);
  CREATE INDEX runs_by_parent ON runs (parent_id, id);
  CREATE INDEX runs_running ON runs (id, owner) WHERE status = 'running';
  CREATE INDEX runs_failed ON runs (id) WHERE status = 'failed';
  CREATE INDEX runs_flows ON runs (id) WHERE primitive = 'flow';
  CREATE UNIQUE INDEX runs_by_key ON runs (idempotency_key) WHERE idempotency_key IS NOT NULL;

  CREATE TABLE steps (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    action TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 1,
    started_at REAL NOT NULL,
    ended_at REAL,
    spend TEXT,
    isolation TEXT,
    error TEXT,
    input_redacted INTEGER NOT NULL DEFAULT 0,
    output_redacted INTEGER NOT NULL DEFAULT 0,
    input TEXT,
    output TEXT,
    PRIMARY KEY (run_id, idx)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE model_calls (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    request_hash TEXT NOT NULL,
    at REAL NOT NULL,
    flow TEXT,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL,
    redacted INTEGER NOT NULL,
    answer TEXT NOT NULL
  ) STRICT;
  CREATE INDEX calls_by_run ON model_calls (run_id, step);
  CREATE INDEX calls_by_time ON model_calls (at, model, input_tokens, output_tokens, cost);
  CREATE INDEX calls_by_flow ON model_calls (flow, at, model, input_tokens, output_tokens, cost)
    WHERE flow IS NOT NULL;

  CREATE TABLE payload_files (
    hash TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE payload_refs (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    hash TEXT NOT NULL REFERENCES payload_files (hash),
    PRIMARY KEY (run_id, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX payload_refs_by_hash ON payload_refs (hash);
  `,
] as const

/** Pipelines with other steps than names: the step's position, and how a condition or failure ended. */
export const STEP_PATH_MIGRATIONS = [
  `
  ALTER TABLE steps ADD COLUMN path TEXT;
  ALTER TABLE steps ADD COLUMN mark TEXT;
  ALTER TABLE runs ADD COLUMN filtered TEXT;
  `,
] as const
