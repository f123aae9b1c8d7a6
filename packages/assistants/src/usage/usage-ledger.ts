import type {
  ModelPrices,
  SessionSpend,
  UsageOrigin,
  UsageQuery,
  UsageReport,
  UsageWindow,
} from '@steward/contract'
import type { PriceTable } from '@steward/models'
import { type Connection, openDatabase } from '@steward/platform'
import { type FileState, readFileState, readStamps, setFileState } from './ledger-files.ts'
import { addKeyIndex, dropKeyIndex, hasKeyIndex } from './ledger-indexes.ts'
import { sumAllChanged } from './ledger-parts.ts'
import { applyPrices, pricesWith, readOwnPrices } from './ledger-prices.ts'
import { readSessionChanges, type SessionChanges, type SessionCursor } from './ledger-sessions.ts'
import { MIGRATIONS } from './ledger-tables.ts'
import { type CallContext, createCallPacker } from './pack-calls.ts'
import { createEntryPacker, type LedgerEntry, type PackedEntries } from './pack-entries.ts'
import { readSession } from './session-spend.ts'
import { createCallStore } from './store-calls.ts'
import {
  type CostFilter,
  type ModelTotal,
  readTotals,
  type SessionCost,
  sumSessions,
  sumSince,
} from './sum-costs.ts'
import { addAllUnlisted, addTotal, addUnlisted } from './unlisted-calls.ts'
import type { UsageCall } from './usage-reader.ts'
import { type LedgerReport, report } from './usage-report.ts'
import { addWindow, createWindowReader } from './usage-windows.ts'

/** If these are killed, a call may be in their logs and never get a row. */
const WRITES_LATE: ReadonlySet<UsageOrigin> = new Set<UsageOrigin>(['claude'])
const CACHE_KB = 2000
const IMPORT_CACHE_KB = 8000
/** Pages that are written to the file together; a page that changes often is written once. */
const CHECKPOINT_PAGES = 4000
const IMPORT_CHECKPOINT_PAGES = 12_000

/** A call that an assistant sent by itself, or tokens of several calls. */
export interface ReceivedCall {
  assistant: UsageOrigin
  /** Logs have every call, so that metrics of the same session count only without them. */
  source: 'logs' | 'metrics'
  /** Distinguishes what was sent about a session; what is sent again counts once. */
  key: string
  call: Omit<UsageCall, 'id'>
}

type Progress = NonNullable<UsageReport['import']>

export interface UsageLedger {
  readonly path: string
  /** The prices of calls without one of their own. */
  readonly prices: PriceTable
  /** A person's own prices from now on. The cost of earlier calls is computed again. */
  setPrices: (own: ModelPrices) => void
  /** The state of each file, or each of these, when it was last read to its end. */
  stamps: (paths?: readonly string[]) => ReadonlyMap<string, string>
  fileState: (path: string) => FileState | undefined
  /** Stores calls together with how far their files were read. */
  add: (entries: readonly LedgerEntry[]) => void
  addPacked: (packed: readonly PackedEntries[], progress?: Progress) => void
  /** How far an import is, also one of another process; null if none runs. */
  progress: () => Progress | null
  /** Calls of thousands of files follow. What is faster at once is left for the end. */
  beginImport: () => void
  /** Also ends an import of a process that was killed. */
  endImport: () => void
  /** Stores calls that an assistant sent, unless its transcript has them. */
  receive: (calls: readonly ReceivedCall[]) => void
  /** A measure of its size: sums take longer with each. */
  countContexts: () => number
  /** All calls by assistant and model. */
  totals: () => ModelTotal[]
  report: (query: UsageQuery, nowMs: number) => LedgerReport
  /** One session by model and agent; null if no call of it is known. */
  session: (session: string, nowMs: number) => SessionSpend | null
  /** The sessions of assistants that are new or were active since then. */
  sessionChanges: (since: SessionCursor) => SessionChanges
  /** Five-hour and weekly windows of assistants with such limits. */
  windows: (nowMs: number) => UsageWindow[]
  /** The cost of calls since then, by session, the most expensive first. */
  sumSince: (filter: CostFilter) => SessionCost[]
  /** The known cost of each of these sessions. */
  sumSessions: (sessions: readonly string[]) => ReadonlyMap<string, number>
  close: () => Promise<void>
}

/**
 * `state/usage.sqlite`: every model call of assistants and of Steward itself, counted once. Assistants delete their
 * records after a while; the ledger keeps what it has read. Without a person's own prices, those that
 * it knows stay.
 */
export const openUsageLedger = (path: string, ownPrices?: ModelPrices): UsageLedger => {
  // What a power failure takes is read again: calls are stored with how far their file was read.
  const database = openDatabase(path, { migrations: MIGRATIONS, mayLoseLast: true })
  const store = createCallStore(database)
  let prices = pricesWith(database.read(readOwnPrices))
  const unlisted = { ...database, store, packer: createCallPacker(prices) }
  const windowReader = createWindowReader()
  let isFirstImport = false

  const change = (work: (connection: Connection) => void): void => {
    try {
      database.writeNow(work)
    } catch (thrown) {
      store.forget()
      throw thrown
    }
  }

  const addPacked = (packed: PackedEntries, hasSent: boolean): void => {
    const { contexts, files, totals, titles, windows } = packed
    for (const { assistant, session, title } of titles) store.setTitle(assistant, session, title)
    for (const { assistant, ...window } of windows) addWindow(database, assistant, window)
    store.add(packed)
    for (const { assistant, ...total } of totals) addTotal(database, assistant, total)
    if (hasSent) dropSent(packed)
    if (!isFirstImport) {
      const touched = new Map<string, Touched>()
      for (const each of [...contexts, ...totals]) {
        touched.set([each.assistant, each.session, each.model].join('\0'), each)
      }
      for (const { assistant, session, model } of touched.values()) {
        addUnlisted(unlisted, assistant, session, model)
      }
    }
    for (const { path: file, ...state } of files) setFileState(database, file, state)
  }

  const dropSent = ({ contexts }: PackedEntries): void => {
    const sessions = new Map<string, [assistant: UsageOrigin, session: string]>()
    for (const { assistant, session, subagent } of contexts) {
      // Assistants send the calls of a subagent as those of a session.
      for (const each of [session, subagent || session]) {
        sessions.set(`${assistant} ${each}`, [assistant, each])
      }
    }
    for (const [assistant, session] of sessions.values()) {
      if (WRITES_LATE.has(assistant)) store.dropRecorded(assistant, session)
      else store.dropSent(assistant, session, 'logs')
      store.dropSent(assistant, session, 'metrics')
      store.addFolder(assistant, session)
    }
  }

  const addReceived = ({ assistant, source, key, call }: ReceivedCall): void => {
    const { session } = call
    const isListed = store.isListed(assistant, session)
    if (isListed && !(source === 'logs' && WRITES_LATE.has(assistant))) return
    if (source === 'logs') store.dropSent(assistant, session, 'metrics')
    else if (store.hasLogs(assistant, session)) return
    unlisted.packer.add(assistant, { ...call, id: `otlp ${session} ${source} ${key}` }, source)
    store.add(unlisted.packer.take())
    if (!isListed) return
    store.addFolder(assistant, session)
    store.dropRecorded(assistant, session)
    addUnlisted(unlisted, assistant, session, call.model)
  }

  const setPrices = (own: ModelPrices): void => {
    change((connection) => applyPrices(connection, own))
    windowReader.forget()
    prices = pricesWith(own)
    unlisted.packer = createCallPacker(prices)
  }
  if (ownPrices !== undefined) setPrices(ownPrices)

  return {
    path,
    get prices() {
      return prices
    },
    setPrices,
    stamps: (paths) => database.read((connection) => readStamps(connection, paths)),
    fileState: (file) => database.read((connection) => readFileState(connection, file)),
    add: (entries) => {
      const entryPacker = createEntryPacker(prices)
      for (const entry of entries) entryPacker.add(entry)
      const packed = entryPacker.take()
      change(() => addPacked(packed, store.hasSent()))
    },
    addPacked: (packed, progress) =>
      change((connection) => {
        const hasSent = store.hasSent()
        for (const each of packed) addPacked(each, hasSent)
        if (progress === undefined) return
        connection
          .statement('INSERT OR REPLACE INTO progress VALUES (1, ?, ?, ?)')
          .run(progress.done, progress.total, progress.bytes)
      }),
    progress: () =>
      database.read(({ statement }) => {
        const row = statement('SELECT done, total, bytes FROM progress').get()
        if (row === undefined) return null
        return { done: Number(row.done), total: Number(row.total), bytes: Number(row.bytes) }
      }),
    beginImport: () => {
      database.statement(`PRAGMA cache_size = -${IMPORT_CACHE_KB}`).run()
      // Sorting all keys at the end would take memory for each.
      database.statement('PRAGMA temp_store = FILE').run()
      database.statement(`PRAGMA wal_autocheckpoint = ${IMPORT_CHECKPOINT_PAGES}`).get()
      change((connection) => {
        const { statement } = connection
        if (statement('SELECT 1 FROM call_rows LIMIT 1').get() === undefined)
          dropKeyIndex(connection)
        isFirstImport = !hasKeyIndex(connection)
      })
    },
    endImport: () => {
      change((connection) => {
        const isIndexed = hasKeyIndex(connection)
        if (!isIndexed) addKeyIndex(connection)
        // Another process that was started meanwhile may have added it.
        if (isFirstImport || !isIndexed) addAllUnlisted(unlisted)
        isFirstImport = false
        connection.statement('DELETE FROM progress').run()
      })
      database.statement(`PRAGMA cache_size = -${CACHE_KB}`).run()
      database.statement('PRAGMA temp_store = MEMORY').run()
      database.statement(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`).get()
      database.statement('PRAGMA shrink_memory').run()
      windowReader.forget()
    },
    receive: (received) =>
      change(() => {
        for (const each of received) addReceived(each)
      }),
    countContexts: () =>
      Number(database.statement('SELECT max(id) AS most FROM contexts').get()?.most),
    totals: () => {
      sumAllChanged(database)
      return database.read(readTotals)
    },
    report: (query, nowMs) => {
      sumAllChanged(database)
      return database.read((connection) => report(connection, query, nowMs))
    },
    session: (session, nowMs) =>
      database.read((connection) => readSession(connection, session, nowMs)),
    sessionChanges: (since) => database.read((connection) => readSessionChanges(connection, since)),
    windows: (nowMs) => database.read((connection) => windowReader.read(connection, nowMs)),
    sumSince: (filter) => database.read((connection) => sumSince(connection, filter)),
    sumSessions: (sessions) => database.read((connection) => sumSessions(connection, sessions)),
    close: () => database.close(),
  }
}

/** The rest of this session and model may differ now. */
type Touched = Pick<CallContext, 'assistant' | 'session' | 'model'>
