/**
 * The schema as steps that never change once published. `BYTES` stands for the engine's binary
 * type. An event's row never changes, except that `processed_ms` is set once.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    environment_id TEXT,
    session_id TEXT,
    work_id TEXT,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT,
    revoked_ms BIGINT,
    used_ms BIGINT
  );
  CREATE INDEX keys_by_session ON keys (session_id) WHERE session_id IS NOT NULL;
  CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE TABLE agent_versions (
    agent_id TEXT NOT NULL REFERENCES agents (id),
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    PRIMARY KEY (agent_id, version)
  );
  CREATE TABLE environments (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE UNIQUE INDEX environments_by_name ON environments (name) WHERE archived_ms IS NULL;
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    agent_version BIGINT NOT NULL,
    environment_id TEXT NOT NULL,
    body TEXT NOT NULL,
    summary TEXT NOT NULL,
    status TEXT NOT NULL,
    last_seq BIGINT NOT NULL DEFAULT 0,
    awake BIGINT NOT NULL DEFAULT 0,
    wake_ms BIGINT,
    lease_owner TEXT,
    lease_epoch BIGINT NOT NULL DEFAULT 0,
    lease_until_ms BIGINT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE INDEX sessions_by_time ON sessions (created_ms, id);
  CREATE INDEX sessions_by_agent ON sessions (agent_id, created_ms);
  CREATE INDEX sessions_by_environment ON sessions (environment_id);
  CREATE INDEX sessions_by_archival ON sessions (archived_ms) WHERE archived_ms IS NOT NULL;
  CREATE INDEX sessions_awake ON sessions (wake_ms) WHERE awake = 1;
  CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    hidden TEXT,
    listed BIGINT NOT NULL,
    dedup TEXT,
    created_ms BIGINT NOT NULL,
    processed_ms BIGINT,
    PRIMARY KEY (session_id, seq)
  );
  CREATE UNIQUE INDEX events_by_id ON events (session_id, id);
  CREATE UNIQUE INDEX events_once ON events (session_id, dedup) WHERE dedup IS NOT NULL;
  CREATE TABLE answers (
    idempotency_key TEXT PRIMARY KEY,
    request_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    body TEXT NOT NULL,
    expires_ms BIGINT NOT NULL
  );
  CREATE INDEX answers_by_expiry ON answers (expires_ms);
  CREATE TABLE files (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    session_id TEXT,
    path TEXT,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT
  );
  CREATE INDEX files_by_session ON files (session_id, created_ms);
  CREATE UNIQUE INDEX files_by_path ON files (session_id, path) WHERE path IS NOT NULL;
  CREATE TABLE file_chunks (
    file_id TEXT NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    content BYTES NOT NULL,
    PRIMARY KEY (file_id, number)
  );
  CREATE TABLE vaults (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    vault_id TEXT NOT NULL REFERENCES vaults (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    sealed BYTES NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE INDEX credentials_by_vault ON credentials (vault_id, created_ms);
  CREATE TABLE work (
    id TEXT PRIMARY KEY,
    environment_id TEXT NOT NULL,
    session_id TEXT,
    state TEXT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    offered_ms BIGINT,
    heartbeat TEXT,
    lease_until_ms BIGINT,
    stopped_ms BIGINT
  );
  CREATE INDEX work_by_environment ON work (environment_id, state, created_ms);
  CREATE INDEX work_by_session ON work (session_id);
  CREATE TABLE pollers (
    environment_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    polled_ms BIGINT NOT NULL,
    PRIMARY KEY (environment_id, worker_id)
  )
  `,
  // Renewing a lease does not change its owner, so it does not touch this index.
  `CREATE INDEX sessions_leased ON sessions (lease_owner) WHERE lease_owner IS NOT NULL`,
  // Every append checks for a waiting interrupt, and every upload for expired files.
  `
  CREATE INDEX events_waiting ON events (session_id) WHERE processed_ms IS NULL;
  CREATE INDEX files_by_expiry ON files (expires_ms) WHERE expires_ms IS NOT NULL
  `,
  // Versions are numbered, because two can be created in the same millisecond.
  `
  CREATE TABLE skills (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    display_name TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
  );
  CREATE TABLE skill_versions (
    id TEXT PRIMARY KEY,
    skill_id TEXT NOT NULL REFERENCES skills (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    description TEXT NOT NULL,
    created_ms BIGINT NOT NULL
  );
  CREATE UNIQUE INDEX skill_versions_by_number ON skill_versions (skill_id, number);
  CREATE TABLE skill_files (
    version_id TEXT NOT NULL REFERENCES skill_versions (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    content BYTES NOT NULL,
    PRIMARY KEY (version_id, path)
  )
  `,
  // The changes of a store are numbered; the lock on the store keeps the numbers unique.
  `
  CREATE TABLE memory_stores (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE TABLE memories (
    id TEXT PRIMARY KEY,
    store_id TEXT NOT NULL REFERENCES memory_stores (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    version_id TEXT NOT NULL,
    content TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
  );
  CREATE UNIQUE INDEX memories_by_path ON memories (store_id, path);
  CREATE TABLE memory_versions (
    id TEXT PRIMARY KEY,
    store_id TEXT NOT NULL REFERENCES memory_stores (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    memory_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    path TEXT,
    content TEXT,
    sha256 TEXT,
    size BIGINT,
    key_id TEXT,
    session_id TEXT,
    created_ms BIGINT NOT NULL,
    redacted_ms BIGINT,
    redacted_by TEXT
  );
  CREATE UNIQUE INDEX memory_versions_by_number ON memory_versions (store_id, number);
  CREATE INDEX memory_versions_by_memory ON memory_versions (memory_id, number)
  `,
  // One run per due time and per delivery of a webhook, regardless of kills.
  `
  CREATE TABLE deployments (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL,
    next_ms BIGINT,
    last_run_ms BIGINT,
    webhook TEXT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    archived_ms BIGINT
  );
  CREATE INDEX deployments_due ON deployments (next_ms) WHERE next_ms IS NOT NULL;
  CREATE TABLE deployment_runs (
    id TEXT PRIMARY KEY,
    deployment_id TEXT NOT NULL REFERENCES deployments (id) ON DELETE CASCADE,
    trigger_type TEXT NOT NULL,
    scheduled_ms BIGINT,
    delivery TEXT,
    session_id TEXT,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL
  );
  CREATE UNIQUE INDEX deployment_runs_by_due ON deployment_runs (deployment_id, scheduled_ms) WHERE scheduled_ms IS NOT NULL;
  CREATE UNIQUE INDEX deployment_runs_by_delivery ON deployment_runs (deployment_id, delivery) WHERE delivery IS NOT NULL;
  CREATE INDEX deployment_runs_by_time ON deployment_runs (created_ms, id);
  ALTER TABLE sessions ADD COLUMN deployment_id TEXT;
  CREATE INDEX sessions_by_deployment ON sessions (deployment_id, created_ms) WHERE deployment_id IS NOT NULL
  `,
  // What happened and whom to tell are written in one transaction.
  `
  CREATE TABLE webhook_endpoints (
    id TEXT PRIMARY KEY,
    url TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    events TEXT NOT NULL,
    state TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
  );
  CREATE TABLE webhook_deliveries (
    id TEXT PRIMARY KEY,
    endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    last_result TEXT,
    next_ms BIGINT,
    created_ms BIGINT NOT NULL
  );
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_ms) WHERE next_ms IS NOT NULL;
  CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, created_ms)
  `,
  // The files of sessions, for servers with another data home.
  `
  CREATE TABLE session_places (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    home TEXT NOT NULL,
    is_saved BIGINT NOT NULL,
    snapshot TEXT,
    fingerprint TEXT,
    chunks BIGINT NOT NULL,
    saved_ms BIGINT NOT NULL,
    problem TEXT
  );
  CREATE TABLE snapshot_chunks (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    snapshot TEXT NOT NULL,
    number BIGINT NOT NULL,
    content BYTES NOT NULL,
    PRIMARY KEY (session_id, snapshot, number)
  )
  `,
  // A thread of a session is a row of its own that belongs to the session.
  `
  ALTER TABLE sessions ADD COLUMN parent_id TEXT REFERENCES sessions (id) ON DELETE CASCADE;
  CREATE INDEX sessions_by_parent ON sessions (parent_id, created_ms) WHERE parent_id IS NOT NULL
  `,
  // A vendor's waiting time holds for all processes with the same account.
  `
  CREATE TABLE model_waits (
    account TEXT NOT NULL,
    model TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (account, model)
  )
  `,
  // Snapshots in a bucket. Rows outlive their session until their object is deleted.
  `
  ALTER TABLE session_places ADD COLUMN bucket TEXT;
  CREATE TABLE snapshot_objects (
    bucket TEXT NOT NULL,
    object TEXT NOT NULL,
    session_id TEXT NOT NULL,
    snapshot TEXT NOT NULL,
    number BIGINT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT,
    gone_ms BIGINT,
    PRIMARY KEY (bucket, object)
  );
  CREATE INDEX snapshot_objects_by_session ON snapshot_objects (session_id, snapshot, number);
  CREATE INDEX snapshot_objects_gone ON snapshot_objects (bucket, gone_ms) WHERE gone_ms IS NOT NULL
  `,
]

export const SQLITE_MIGRATIONS: readonly string[] = MIGRATIONS.map((step) =>
  step.replaceAll('BYTES', 'BLOB'),
)
