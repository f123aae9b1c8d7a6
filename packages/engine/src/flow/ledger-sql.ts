/**
 * The items of all flows, in SQLite and D1. `seq` is the order in which items were found. `payload`
 * and `output` are dropped when an item is delivered.
 */
export const FLOW_ITEMS_TABLE = `
  CREATE TABLE IF NOT EXISTS flow_items (
    seq INTEGER PRIMARY KEY,
    flow TEXT NOT NULL,
    item TEXT NOT NULL,
    title TEXT,
    state TEXT NOT NULL CHECK (state IN
      ('found', 'processed', 'waiting', 'delivered', 'rejected', 'given-up', 'filtered')),
    attempts INTEGER NOT NULL DEFAULT 0,
    changed_at REAL NOT NULL,
    failing_since REAL,
    next_attempt_at REAL,
    not_before REAL,
    payload TEXT,
    output TEXT,
    error TEXT,
    run_id TEXT NOT NULL,
    reported INTEGER NOT NULL DEFAULT 0,
    UNIQUE (flow, item)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS flow_items_undelivered ON flow_items (flow, state, seq)
    WHERE state <> 'delivered';
  `

/**
 * `flow_deliveries`: what each destination of a flow with several did with an item, until the item
 * is delivered everywhere. `flow_digests`: the items of digests that are not delivered. A digest is
 * itself a row of `flow_items`, with its text as output.
 */
export const FLOW_DELIVERIES_TABLES = `
  CREATE TABLE IF NOT EXISTS flow_deliveries (
    flow TEXT NOT NULL,
    item TEXT NOT NULL,
    destination TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'rejected', 'given-up')),
    attempts INTEGER NOT NULL DEFAULT 0,
    failing_since REAL,
    next_attempt_at REAL,
    not_before REAL,
    error TEXT,
    PRIMARY KEY (flow, item, destination)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS flow_digests (
    flow TEXT NOT NULL,
    item TEXT NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (flow, item)
  ) STRICT, WITHOUT ROWID;
  `

const OPEN = `('found', 'processed', 'waiting')`
export const IN_LIST = 'IN (SELECT value FROM json_each(?2))'

const DIGEST = `(SELECT digest FROM flow_digests AS member
    WHERE member.flow = flow_items.flow AND member.item = flow_items.item)`
const DELIVERIES = `(SELECT json_group_array(json_object('destination', destination, 'state', state,
      'attempts', attempts, 'failing_since', failing_since, 'next_attempt_at', next_attempt_at,
      'not_before', not_before, 'error', error)) FROM flow_deliveries AS sent
    WHERE sent.flow = flow_items.flow AND sent.item = flow_items.item)`
const ENTRY = `SELECT item, title, state, attempts, changed_at, failing_since, next_attempt_at,
    not_before, payload, output, error, ${DIGEST} AS digest, ${DELIVERIES} AS deliveries, seq
  FROM flow_items`

export const LOOK_UP = `SELECT item, state, error FROM flow_items
  WHERE flow = ?1 AND item ${IN_LIST}`
export const ADD = `INSERT INTO flow_items (flow, item, title, state, changed_at, payload, run_id)
  SELECT ?1, value ->> 0, value ->> 1, 'found', ?3, value ->> 2, ?4 FROM json_each(?2) WHERE true
  ON CONFLICT (flow, item) DO UPDATE SET title = excluded.title, payload = excluded.payload
  WHERE state = 'found'`
export const IMPORT = `INSERT INTO flow_items (flow, item, state, changed_at, run_id, reported)
  SELECT ?1, value ->> 0, value ->> 1, ?3, ?4, 1 FROM json_each(?2) WHERE true
  ON CONFLICT (flow, item) DO NOTHING`
export const READ_OPEN = `${ENTRY} WHERE flow = ?1 AND state IN ${OPEN} ORDER BY seq`
export const LOOK_UP_AND_OPEN = `${ENTRY} WHERE flow = ?1 AND state IN ${OPEN}
  UNION ALL SELECT item, NULL, state, 0, changed_at, NULL, NULL, NULL, NULL, NULL, error, NULL, NULL,
    seq FROM flow_items
  WHERE flow = ?1 AND item ${IN_LIST} AND state NOT IN ${OPEN} ORDER BY seq`
export const READ_OUTPUT = 'SELECT output FROM flow_items WHERE flow = ?1 AND item = ?2'
export const UNREPORTED = `SELECT item, title, error FROM flow_items
  WHERE flow = ?1 AND state = 'given-up' AND reported = 0 ORDER BY seq`
export const REPORT = `UPDATE flow_items SET reported = 1 WHERE flow = ?1 AND item ${IN_LIST}`
export const COUNT_OPEN = `SELECT total(state = 'waiting') AS waiting,
    total(state = 'found' AND attempts > 0) AS failing, total(state = 'given-up') AS given_up,
    total(state = 'rejected') AS rejected
  FROM flow_items WHERE flow = ?1 AND state <> 'delivered'`
export const LIST = `SELECT item, title, state, attempts, next_attempt_at, error, changed_at, run_id,
    ${DELIVERIES} AS deliveries
  FROM flow_items WHERE flow = ?1 AND (?2 IS NULL OR state = ?2)
  ORDER BY changed_at DESC, seq DESC LIMIT ?3`

/** The chosen items, the digests that contain one, and all items of these digests. */
const CHOSEN = `(?2 IS NULL OR item IN (SELECT value FROM json_each(?2)) OR item IN (
    SELECT digest FROM flow_digests WHERE flow = ?1 AND item IN (SELECT value FROM json_each(?2))
  ) OR item IN (
    SELECT other.item FROM flow_digests AS other JOIN flow_digests AS own USING (flow, digest)
    WHERE other.flow = ?1 AND own.item IN (SELECT value FROM json_each(?2))
  ) OR item IN (
    SELECT item FROM flow_digests
    WHERE flow = ?1 AND digest IN (SELECT value FROM json_each(?2))
  ))
  AND (state IN ('found', 'processed', 'waiting', 'given-up') OR (?3 = 1 AND state = 'rejected'))`
export const REOPEN_DELIVERIES = `DELETE FROM flow_deliveries WHERE flow = ?1
  AND state <> 'delivered' AND item IN (SELECT item FROM flow_items WHERE flow = ?1 AND ${CHOSEN})`
export const REOPEN = `UPDATE flow_items SET
    state = CASE WHEN output IS NULL THEN 'found' ELSE 'waiting' END,
    attempts = 0, failing_since = NULL, next_attempt_at = NULL, not_before = NULL, reported = 0
  WHERE flow = ?1 AND ${CHOSEN}
  RETURNING item, seq`

export const DELIVER = `INSERT INTO flow_deliveries (flow, item, destination, state, attempts,
    failing_since, next_attempt_at, not_before, error)
  SELECT ?1, value, ?3, ?4, ifnull(?5, 0), ?6, ?7, ?8, ?9 FROM json_each(?2) WHERE true
  ON CONFLICT (flow, item, destination) DO UPDATE SET state = excluded.state,
    attempts = ifnull(?5, attempts), failing_since = ifnull(failing_since, excluded.failing_since),
    next_attempt_at = excluded.next_attempt_at, not_before = excluded.not_before,
    error = excluded.error WHERE state <> 'delivered'`
export const DELIVERED_TO = `SELECT destination FROM flow_deliveries
  WHERE flow = ?1 AND item = ?2 AND state = 'delivered'`
export const FORGET_DELIVERIES = `DELETE FROM flow_deliveries WHERE flow = ?1 AND item ${IN_LIST}`

export const JOIN_DIGEST = `INSERT INTO flow_digests (flow, item, digest)
  SELECT ?1, value, ?3 FROM json_each(?2) WHERE true ON CONFLICT (flow, item) DO NOTHING`
export const COUNT_MEMBERS = `SELECT count(*) AS count FROM flow_digests
  WHERE flow = ?1 AND digest = ?2`
export const ADD_DIGEST = `INSERT INTO flow_items (flow, item, title, state, changed_at, output, run_id)
  VALUES (?1, ?2, ?3, 'processed', ?4, ?5, ?6) ON CONFLICT (flow, item) DO NOTHING
  RETURNING item`
/** A digest that was not stored has no items. */
export const DROP_UNSTORED = `DELETE FROM flow_digests WHERE flow = ?1 AND NOT EXISTS (
  SELECT 1 FROM flow_items AS stored WHERE stored.flow = ?1 AND stored.item = flow_digests.digest)`
const OWN_DIGEST = `flow_digests AS member JOIN flow_items AS stored
    ON stored.flow = member.flow AND stored.item = member.digest
    WHERE member.flow = ?1 AND stored.state IN ('waiting', 'delivered', 'rejected', 'given-up')`
/** The items of a digest have its state. */
export const FOLLOW_DIGESTS = `UPDATE flow_items SET changed_at = ?2, run_id = ?3, reported = 1,
    state = stored.state, error = stored.error,
    payload = CASE stored.state WHEN 'delivered' THEN NULL ELSE payload END,
    output = CASE stored.state WHEN 'delivered' THEN NULL ELSE output END
  FROM (SELECT member.item, stored.state, stored.error FROM ${OWN_DIGEST}) AS stored
  WHERE flow_items.flow = ?1 AND flow_items.item = stored.item
    AND flow_items.state <> stored.state`
export const DROP_DELIVERED = `DELETE FROM flow_digests WHERE flow = ?1 AND digest IN (
  SELECT item FROM flow_items WHERE flow = ?1 AND state = 'delivered')`

/** Ids that mean something in their source only: those of a flow that had a single source. */
export const ADOPT = `UPDATE OR IGNORE flow_items SET item = ?2 || item WHERE flow = ?1
  AND item NOT GLOB 'source:*' AND item NOT GLOB 'steward:*'
  AND (item NOT GLOB '[A-Za-z]*:*' OR item GLOB '* *')`
