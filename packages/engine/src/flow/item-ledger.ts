import {
  type FlowItemView,
  flowItem,
  type ItemState,
  type JsonObject,
  type OpenItems,
  type RecordedError,
} from '@steward/contract'
import type { FlowItem } from './item.ts'
import {
  columnsOf,
  deliveryViews,
  encodeError,
  errorOf,
  isOpen,
  type LedgerChange,
  type LedgerEntry,
  mapTexts,
  objectOf,
  type RowPorts,
  textOf,
  timeOf,
  toEntry,
} from './ledger-rows.ts'
import * as sql from './ledger-sql.ts'
import type { SqlQuery } from './sql-query.ts'

export type LedgerState = Pick<LedgerEntry, 'state' | 'error'>

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
  /** Prefixes ids that only have a meaning in their source: the flow gets further sources. */
  adoptIds: (prefix: string) => Promise<void>
  /** The items that are not settled, in the order in which they were found. */
  open: () => Promise<LedgerEntry[]>
  /** The stored output of an item that is not delivered yet. */
  outputOf: (item: string) => Promise<JsonObject | null>
  change: (item: string, change: LedgerChange, run: LedgerRun) => Promise<void>
  /** Changes many items at once. */
  changeAll: (items: readonly string[], change: LedgerChange, run: LedgerRun) => Promise<void>
  /** What one of several destinations did with items; a delivered one stays delivered. */
  changeDelivery: (
    items: readonly string[],
    destination: string,
    change: Omit<LedgerChange, 'output'>,
  ) => Promise<void>
  /** The destinations that have an item. */
  deliveredTo: (item: string) => Promise<ReadonlySet<string>>
  /** For items that are settled at every destination. */
  forgetDeliveries: (items: readonly string[]) => Promise<void>
  /** An output as it can be stored: without secrets, and shorter if it is too long. */
  toStorable: (output: JsonObject) => JsonObject | undefined
  /** Stores a digest of these items; false if another run has stored it or has one of them. */
  addDigest: (
    digest: { id: string; title: string; output: JsonObject; items: readonly string[] },
    run: LedgerRun,
  ) => Promise<boolean>
  /** Gives the items of digests the state of their digest. */
  followDigests: (run: LedgerRun) => Promise<void>
  /** Makes items due again with no failed attempts; returns their ids. */
  reopen: (choice: { items?: readonly string[]; all?: boolean }) => Promise<string[]>
  /** Given-up items that no notification has named yet. */
  unreported: () => Promise<{ id: string; title: string | null; error: RecordedError | null }[]>
  report: (items: readonly string[]) => Promise<void>
  countOpen: () => Promise<OpenItems>
  /** For people, the latest change first. */
  list: (filter: { state?: ItemState; limit: number }) => Promise<FlowItemView[]>
}

export interface LedgerPorts extends RowPorts {
  query: SqlQuery
}

/** D1 refuses longer values. */
const LIST_CHARACTERS = 500_000
/** The longest text of an output that is too long as a whole. */
const TEXT_CHARACTERS = 4000

export const createItemLedger = (flow: string, ports: LedgerPorts): ItemLedger => {
  const { query, encode, mask } = ports
  const changeAll: ItemLedger['changeAll'] = async (items, change, { runId, atMs }) => {
    const columns = columnsOf(change, ports)
    const sets = [...columns.keys()].map((column, index) =>
      column === 'failing_since' && change.failingSinceMs !== null
        ? `failing_since = ifnull(failing_since, ?${index + 5})`
        : `${column} = ?${index + 5}`,
    )
    const update = `UPDATE flow_items SET changed_at = ?3, run_id = ?4, ${sets.join(', ')}
      WHERE flow = ?1 AND item ${sql.IN_LIST}`
    for (const ids of inLists(items.map((id) => JSON.stringify(id)))) {
      await query(update, [flow, ids, atMs, runId, ...columns.values()])
    }
  }
  const addStates = async (
    states: Map<string, LedgerState>,
    lists: readonly string[],
  ): Promise<Map<string, LedgerState>> => {
    for (const ids of lists) {
      for (const row of await query(sql.LOOK_UP, [flow, ids])) {
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
      const entries = (await query(sql.LOOK_UP_AND_OPEN, [flow, first])).map(toEntry)
      const states = new Map(entries.map(({ id, state, error }) => [id, { state, error }]))
      const open = entries.filter(({ state }) => isOpen(state))
      return { states: await addStates(states, others), open }
    },
    add: async (items, { runId, atMs }) => {
      const rows = items.map(({ id, title, payload }) =>
        JSON.stringify([id, title, encode(payload)]),
      )
      for (const list of inLists(rows)) await query(sql.ADD, [flow, list, atMs, runId])
    },
    importSettled: async (items, { runId, atMs }) => {
      const rows = items.map(({ id, state }) => JSON.stringify([id, state]))
      for (const list of inLists(rows)) await query(sql.IMPORT, [flow, list, atMs, runId])
    },
    adoptIds: async (prefix) => {
      await query(sql.ADOPT, [flow, prefix])
    },
    open: async () => (await query(sql.READ_OPEN, [flow])).map(toEntry),
    outputOf: async (item) => objectOf((await query(sql.READ_OUTPUT, [flow, item]))[0]?.output),
    change: (item, change, run) => changeAll([item], change, run),
    changeAll,
    changeDelivery: async (items, destination, change) => {
      const { state, attempts, failingSinceMs, nextAttemptMs, notBeforeMs, error } = change
      const times = [failingSinceMs ?? null, nextAttemptMs ?? null, notBeforeMs ?? null]
      const values = [state, attempts ?? null, ...times, encodeError(error ?? null, mask)]
      for (const ids of inLists(items.map((id) => JSON.stringify(id)))) {
        await query(sql.DELIVER, [flow, ids, destination, ...values])
      }
    },
    deliveredTo: async (item) => {
      const rows = await query(sql.DELIVERED_TO, [flow, item])
      return new Set(rows.map(({ destination }) => String(destination)))
    },
    forgetDeliveries: async (items) => {
      for (const ids of inLists(items.map((id) => JSON.stringify(id)))) {
        await query(sql.FORGET_DELIVERIES, [flow, ids])
      }
    },
    toStorable: (output) => {
      if (encode(output) !== null) return output
      const clean = mapTexts(output, mask)
      if (encode(clean) !== null) return clean
      const short = mapTexts(clean, (text) =>
        text.length > TEXT_CHARACTERS ? `${text.slice(0, TEXT_CHARACTERS)}…` : text,
      )
      return encode(short) === null ? undefined : short
    },
    addDigest: async ({ id, title, output, items }, { runId, atMs }) => {
      // Until the digest itself is stored, its items belong to none.
      for (const ids of inLists(items.map((item) => JSON.stringify(item)))) {
        await query(sql.JOIN_DIGEST, [flow, ids, id])
      }
      const [members] = await query(sql.COUNT_MEMBERS, [flow, id])
      if (members?.count !== items.length) return false
      const values = [flow, id, mask(title), atMs, encode(output), runId]
      return (await query(sql.ADD_DIGEST, values)).length > 0
    },
    followDigests: async ({ runId, atMs }) => {
      await query(sql.DROP_UNSTORED, [flow])
      await query(sql.FOLLOW_DIGESTS, [flow, atMs, runId])
      await query(sql.DROP_DELIVERED, [flow])
    },
    reopen: async ({ items, all }) => {
      const ids = items === undefined ? null : JSON.stringify(items)
      const values = [flow, ids, all || items !== undefined ? 1 : 0]
      await query(sql.REOPEN_DELIVERIES, values)
      const rows = await query(sql.REOPEN, values)
      return rows
        .toSorted((one, other) => Number(one.seq) - Number(other.seq))
        .map(({ item }) => String(item))
    },
    unreported: async () =>
      (await query(sql.UNREPORTED, [flow])).map(({ item, title, error }) => ({
        id: String(item),
        title: textOf(title),
        error: errorOf(error),
      })),
    report: async (items) => {
      await query(sql.REPORT, [flow, JSON.stringify(items)])
    },
    countOpen: async () => {
      const [row] = await query(sql.COUNT_OPEN, [flow])
      return {
        waiting: Number(row?.waiting),
        failing: Number(row?.failing),
        givenUp: Number(row?.given_up),
        rejected: Number(row?.rejected),
      }
    },
    list: async ({ state, limit }) =>
      (await query(sql.LIST, [flow, state ?? null, limit])).map((row) =>
        flowItem.parse({
          id: row.item,
          title: row.title,
          state: row.state,
          attempts: row.attempts,
          nextAttemptAt: isOpen(flowItem.shape.state.parse(row.state))
            ? timeOf(row.next_attempt_at)
            : null,
          error: errorOf(row.error)?.message ?? null,
          ...deliveryViews(row.deliveries),
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
