import {
  type FlowItemView,
  flowItem,
  type ItemState,
  isJsonObject,
  type JsonObject,
  type RecordedError,
  recordedError,
} from '@steward/contract'
import type { FlowItem } from './item.ts'
import type { SqlQuery, SqlValue } from './sql-query.ts'

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

const OPEN = `('found', 'processed', 'waiting')`
const isOpen = (state: ItemState): boolean =>
  state === 'found' || state === 'processed' || state === 'waiting'

/** What the ledger knows about one item. */
export interface LedgerEntry {
  id: string
  title: string | null
  state: ItemState
  attempts: number
  failingSinceMs: number | null
  nextAttemptMs: number | null
  /** Until when the destination asked not to be called. */
  notBeforeMs: number | null
  /** The input, unless it contained a secret: secrets are not stored. */
  payload: JsonObject | null
  output: JsonObject | null
  error: RecordedError | null
}

export type LedgerState = Pick<LedgerEntry, 'state' | 'error'>

/** A change of one item; fields that are left out stay as they are. */
export interface LedgerChange {
  state: ItemState
  attempts?: number
  /** Null for an item that does not fail; an item that failed before keeps its earlier time. */
  failingSinceMs?: number | null
  nextAttemptMs?: number | null
  notBeforeMs?: number | null
  output?: JsonObject
  error?: RecordedError | null
}

export interface LedgerRun {
  runId: string
  atMs: number
}

/** The states of one flow's items. Every promise resolves after its change is on disk. */
export interface ItemLedger {
  /** The states of these items; unknown ones are missing. */
  lookUp: (items: readonly string[]) => Promise<Map<string, LedgerState>>
  /** `lookUp` and `open` in one query. */
  lookUpAndOpen: (
    items: readonly string[],
  ) => Promise<{ states: Map<string, LedgerState>; open: LedgerEntry[] }>
  /** Adds new items as found; items that are not processed yet get the newer input. */
  add: (items: readonly FlowItem[], run: LedgerRun) => Promise<void>
  /** Adds items of an older version's record; never changes existing ones. */
  importSettled: (
    items: readonly { id: string; state: ItemState }[],
    run: LedgerRun,
  ) => Promise<void>
  /** The items that are not settled, in the order in which they were found. */
  open: () => Promise<LedgerEntry[]>
  /** The stored output of an item that is not delivered yet. */
  outputOf: (item: string) => Promise<JsonObject | null>
  change: (item: string, change: LedgerChange, run: LedgerRun) => Promise<void>
  /** Changes many items at once. */
  changeAll: (items: readonly string[], change: LedgerChange, run: LedgerRun) => Promise<void>
  /** Makes items due again with no failed attempts; returns their ids. */
  reopen: (choice: { items?: readonly string[]; all?: boolean }) => Promise<string[]>
  /** Given-up items that no notification has named yet. */
  unreported: () => Promise<{ id: string; title: string | null; error: RecordedError | null }[]>
  report: (items: readonly string[]) => Promise<void>
  /** For people, the latest change first. */
  list: (filter: { state?: ItemState; limit: number }) => Promise<FlowItemView[]>
}

export interface LedgerPorts {
  query: SqlQuery
  /** JSON to store; null if the value contained a secret. */
  encode: (value: JsonObject) => string | null
  /** Removes secrets from a text. */
  mask: (text: string) => string
}

const IN_LIST = 'IN (SELECT value FROM json_each(?2))'
const LOOK_UP = `SELECT item, state, error FROM flow_items WHERE flow = ?1 AND item ${IN_LIST}`
const ADD = `INSERT INTO flow_items (flow, item, title, state, changed_at, payload, run_id)
  SELECT ?1, value ->> 0, value ->> 1, 'found', ?3, value ->> 2, ?4 FROM json_each(?2) WHERE true
  ON CONFLICT (flow, item) DO UPDATE SET title = excluded.title, payload = excluded.payload
  WHERE state = 'found'`
const IMPORT = `INSERT INTO flow_items (flow, item, state, changed_at, run_id, reported)
  SELECT ?1, value ->> 0, value ->> 1, ?3, ?4, 1 FROM json_each(?2) WHERE true
  ON CONFLICT (flow, item) DO NOTHING`
const ENTRY = `SELECT item, title, state, attempts, failing_since, next_attempt_at, not_before,
    payload, output, error, seq FROM flow_items`
const READ_OPEN = `${ENTRY} WHERE flow = ?1 AND state IN ${OPEN} ORDER BY seq`
const LOOK_UP_AND_OPEN = `${ENTRY} WHERE flow = ?1 AND state IN ${OPEN}
  UNION ALL SELECT item, NULL, state, 0, NULL, NULL, NULL, NULL, NULL, error, seq FROM flow_items
  WHERE flow = ?1 AND item ${IN_LIST} AND state NOT IN ${OPEN} ORDER BY seq`
const READ_OUTPUT = 'SELECT output FROM flow_items WHERE flow = ?1 AND item = ?2'
const REOPEN = `UPDATE flow_items SET
    state = CASE WHEN output IS NULL THEN 'found' ELSE 'waiting' END,
    attempts = 0, failing_since = NULL, next_attempt_at = NULL, not_before = NULL, reported = 0
  WHERE flow = ?1 AND (?2 IS NULL OR item IN (SELECT value FROM json_each(?2)))
    AND (state IN ('found', 'processed', 'waiting', 'given-up') OR (?3 = 1 AND state = 'rejected'))
  RETURNING item, seq`
const UNREPORTED = `SELECT item, title, error FROM flow_items
  WHERE flow = ?1 AND state = 'given-up' AND reported = 0 ORDER BY seq`
const REPORT = `UPDATE flow_items SET reported = 1 WHERE flow = ?1 AND item ${IN_LIST}`
const LIST = `SELECT item, title, state, attempts, next_attempt_at, error, changed_at, run_id
  FROM flow_items WHERE flow = ?1 AND (?2 IS NULL OR state = ?2)
  ORDER BY changed_at DESC, seq DESC LIMIT ?3`

/** D1 refuses longer values. */
const LIST_CHARACTERS = 500_000

export const createItemLedger = (
  flow: string,
  { query, encode, mask }: LedgerPorts,
): ItemLedger => {
  const changeAll: ItemLedger['changeAll'] = async (items, change, { runId, atMs }) => {
    const columns = columnsOf(change, encode, mask)
    const sets = [...columns.keys()].map((column, index) =>
      column === 'failing_since' && change.failingSinceMs !== null
        ? `failing_since = ifnull(failing_since, ?${index + 5})`
        : `${column} = ?${index + 5}`,
    )
    const sql = `UPDATE flow_items SET changed_at = ?3, run_id = ?4, ${sets.join(', ')}
      WHERE flow = ?1 AND item ${IN_LIST}`
    for (const ids of inLists(items.map((id) => JSON.stringify(id)))) {
      await query(sql, [flow, ids, atMs, runId, ...columns.values()])
    }
  }
  const addStates = async (
    states: Map<string, LedgerState>,
    lists: readonly string[],
  ): Promise<Map<string, LedgerState>> => {
    for (const ids of lists) {
      for (const row of await query(LOOK_UP, [flow, ids])) {
        const state = flowItem.shape.state.parse(row.state)
        states.set(String(row.item), { state, error: errorOf(row.error) })
      }
    }
    return states
  }
  return {
    lookUp: (items) => addStates(new Map(), inLists(items.map((id) => JSON.stringify(id)))),
    lookUpAndOpen: async (items) => {
      const [first = '[]', ...others] = inLists(items.map((id) => JSON.stringify(id)))
      const entries = (await query(LOOK_UP_AND_OPEN, [flow, first])).map(toEntry)
      const states = new Map(entries.map(({ id, state, error }) => [id, { state, error }]))
      const open = entries.filter(({ state }) => isOpen(state))
      return { states: await addStates(states, others), open }
    },
    add: async (items, { runId, atMs }) => {
      const rows = items.map(({ id, title, payload }) =>
        JSON.stringify([id, title, encode(payload)]),
      )
      for (const list of inLists(rows)) await query(ADD, [flow, list, atMs, runId])
    },
    importSettled: async (items, { runId, atMs }) => {
      const rows = items.map(({ id, state }) => JSON.stringify([id, state]))
      for (const list of inLists(rows)) await query(IMPORT, [flow, list, atMs, runId])
    },
    open: async () => (await query(READ_OPEN, [flow])).map(toEntry),
    outputOf: async (item) => objectOf((await query(READ_OUTPUT, [flow, item]))[0]?.output),
    change: (item, change, run) => changeAll([item], change, run),
    changeAll,
    reopen: async ({ items, all }) => {
      const ids = items === undefined ? null : JSON.stringify(items)
      const rows = await query(REOPEN, [flow, ids, all || items !== undefined ? 1 : 0])
      return rows
        .toSorted((one, other) => Number(one.seq) - Number(other.seq))
        .map(({ item }) => String(item))
    },
    unreported: async () =>
      (await query(UNREPORTED, [flow])).map(({ item, title, error }) => ({
        id: String(item),
        title: textOf(title),
        error: errorOf(error),
      })),
    report: async (items) => {
      await query(REPORT, [flow, JSON.stringify(items)])
    },
    list: async ({ state, limit }) =>
      (await query(LIST, [flow, state ?? null, limit])).map((row) =>
        flowItem.parse({
          id: row.item,
          title: row.title,
          state: row.state,
          attempts: row.attempts,
          nextAttemptAt: isOpen(flowItem.shape.state.parse(row.state))
            ? timeOf(row.next_attempt_at)
            : null,
          error: errorOf(row.error)?.message ?? null,
          changedAt: timeOf(row.changed_at),
          runId: row.run_id,
        }),
      ),
  }
}

/** JSON arrays of these elements, none much longer than a database accepts. */
const inLists = (elements: readonly string[]): string[] => {
  const lists: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const element of elements) {
    if (length + element.length > LIST_CHARACTERS) {
      lists.push([])
      length = 0
    }
    lists.at(-1)?.push(element)
    length += element.length + 1
  }
  return lists.map((list) => `[${list.join(',')}]`)
}

const columnsOf = (
  { state, attempts, failingSinceMs, nextAttemptMs, notBeforeMs, output, error }: LedgerChange,
  encode: LedgerPorts['encode'],
  mask: LedgerPorts['mask'],
): Map<string, SqlValue> => {
  const columns = new Map<string, SqlValue>([['state', state]])
  const set = <T>(column: string, value: T | undefined, toSql: (value: T) => SqlValue): void => {
    if (value !== undefined) columns.set(column, toSql(value))
  }
  const asIs = (value: number | null) => value
  set('attempts', attempts, asIs)
  set('failing_since', failingSinceMs, asIs)
  set('next_attempt_at', nextAttemptMs, asIs)
  set('not_before', notBeforeMs, asIs)
  set('output', output, encode)
  set('error', error, (each) => {
    if (each === null) return null
    const { code, message, retryable } = each
    return JSON.stringify({ code, message: mask(message), retryable })
  })
  if (state === 'delivered' || state === 'filtered') {
    columns.set('payload', null).set('output', null).set('error', null)
  }
  return columns
}

const toEntry = (row: Record<string, unknown>): LedgerEntry => ({
  id: String(row.item),
  title: textOf(row.title),
  state: flowItem.shape.state.parse(row.state),
  attempts: Number(row.attempts),
  failingSinceMs: numberOf(row.failing_since),
  nextAttemptMs: numberOf(row.next_attempt_at),
  notBeforeMs: numberOf(row.not_before),
  payload: objectOf(row.payload),
  output: objectOf(row.output),
  error: errorOf(row.error),
})

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const objectOf = (value: unknown): JsonObject | null => {
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : null
  return isJsonObject(parsed) ? parsed : null
}
const errorOf = (value: unknown): RecordedError | null =>
  typeof value === 'string' ? recordedError.parse(JSON.parse(value)) : null
const timeOf = (value: unknown): string | null =>
  typeof value === 'number' ? new Date(value).toISOString() : null
