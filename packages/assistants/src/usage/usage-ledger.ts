import {
  parseJson,
  type SessionSpend,
  type UsageOrigin,
  type UsageQuery,
  type UsageReport,
  type UsageWindow,
  unwrap,
} from '@steward/contract'
import type { PriceTable } from '@steward/models'
import { type Connection, openDatabase } from '@steward/platform'
import { DROP_TIME_INDEX, HAS_TIME_INDEX, MIGRATIONS, TIME_INDEX } from './ledger-tables.ts'
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
import type { ReaderMemory, UsageBatch, UsageCall } from './usage-reader.ts'
import { type LedgerReport, report } from './usage-report.ts'
import { addWindow, readWindows } from './usage-windows.ts'

/** If these are killed, a call may be in their logs and never get a row. */
const WRITES_LATE: ReadonlySet<UsageOrigin> = new Set<UsageOrigin>(['claude'])
const CACHE_KB = 2000
const IMPORT_CACHE_KB = 16_000
/** Pages that are written to the file together; a page that changes often is written once. */
const CHECKPOINT_PAGES = 4000
const IMPORT_CHECKPOINT_PAGES = 12_000

/** How far a file was read: its identity then, and where the next read starts. */
interface FileState {
  stamp: string
  mark: UsageBatch['mark']
}

/** Calls of a file, and how far it was read. */
export interface LedgerEntry {
  assistant: UsageOrigin
  path: string
  stamp: string
  batch: UsageBatch
}

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
  /** The state of each file, or each of these, when it was last read to its end. */
  stamps: (paths?: readonly string[]) => ReadonlyMap<string, string>
  fileState: (path: string) => FileState | undefined
  /** Stores calls together with how far their files were read. */
  add: (entries: readonly LedgerEntry[], progress?: Progress) => void
  /** How far an import is, also one of another process; null if none runs. */
  progress: () => Progress | null
  /** Calls of thousands of files follow. What is faster at once is left for the end. */
  beginImport: () => void
  /** Also ends an import of a process that was killed. */
  endImport: () => void
  /** Stores calls that an assistant sent, unless its transcript has them. */
  receive: (calls: readonly ReceivedCall[]) => void
  /** All calls by assistant and model. */
  totals: () => ModelTotal[]
  report: (query: UsageQuery, nowMs: number) => LedgerReport
  /** One session by model and agent; null if no call of it is known. */
  session: (session: string, nowMs: number) => SessionSpend | null
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
 * records after a while; the ledger keeps what it has read.
 */
export const openUsageLedger = (path: string, prices?: PriceTable): UsageLedger => {
  // What a power failure takes is read again: calls are stored with how far their file was read.
  const database = openDatabase(path, { migrations: MIGRATIONS, mayLoseLast: true })
  const store = createCallStore(database, prices)
  let isFirstImport = false

  const change = (work: (connection: Connection) => void): void => {
    try {
      database.writeNow(work)
    } catch (thrown) {
      store.forget()
      throw thrown
    }
  }

  const addEntry = ({ assistant, path: file, stamp, batch }: LedgerEntry): void => {
    const { calls, totals, titles = [], windows = [], mark } = batch
    for (const { session, title } of titles) store.setTitle(assistant, session, title)
    for (const window of windows) addWindow(database, assistant, window)
    for (const call of calls) store.add(assistant, call, 'record')
    for (const total of totals) addTotal(database, assistant, total)
    // Assistants send the calls of a subagent as those of a session.
    const listed = calls.flatMap(({ session, subagent }) => [session, subagent ?? session])
    for (const session of new Set(listed)) {
      if (WRITES_LATE.has(assistant)) store.dropRecorded(assistant, session)
      else store.dropSent(assistant, session, 'logs')
      store.dropSent(assistant, session, 'metrics')
    }
    if (!isFirstImport) {
      for (const [session, model] of touchedBy(batch)) {
        addUnlisted(database, store, assistant, session, model)
      }
    }
    database
      .statement('INSERT OR REPLACE INTO files (path, stamp, offset, memory) VALUES (?, ?, ?, ?)')
      .run(file, stamp, mark.offset, JSON.stringify(mark.memory))
  }

  const addReceived = ({ assistant, source, key, call }: ReceivedCall): void => {
    const { session } = call
    const isListed = store.isListed(assistant, session)
    if (isListed && !(source === 'logs' && WRITES_LATE.has(assistant))) return
    if (source === 'logs') store.dropSent(assistant, session, 'metrics')
    else if (store.hasLogs(assistant, session)) return
    store.add(assistant, { ...call, id: `otlp ${session} ${source} ${key}` }, source)
    if (!isListed) return
    store.dropRecorded(assistant, session)
    addUnlisted(database, store, assistant, session, call.model)
  }

  return {
    path,
    stamps: (paths) =>
      database.read(({ statement }) => {
        const rows =
          paths === undefined
            ? statement('SELECT path, stamp FROM files').all()
            : statement(
                'SELECT path, stamp FROM files WHERE path IN (SELECT value FROM json_each(?))',
              ).all(JSON.stringify(paths))
        return new Map(rows.map((row) => [String(row.path), String(row.stamp)]))
      }),
    fileState: (file) =>
      database.read(({ statement }) => {
        const row = statement('SELECT stamp, offset, memory FROM files WHERE path = ?').get(file)
        return (
          row && {
            stamp: String(row.stamp),
            mark: { offset: Number(row.offset), memory: readMemory(String(row.memory)) },
          }
        )
      }),
    add: (entries, progress) =>
      change((connection) => {
        for (const entry of entries) addEntry(entry)
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
      database.statement(`PRAGMA wal_autocheckpoint = ${IMPORT_CHECKPOINT_PAGES}`).get()
      change(({ statement }) => {
        const isEmpty = statement('SELECT 1 FROM call_rows LIMIT 1').get() === undefined
        if (isEmpty) statement(DROP_TIME_INDEX).run()
        isFirstImport = statement(HAS_TIME_INDEX).get() === undefined
      })
    },
    endImport: () => {
      change((connection) => {
        const { statement } = connection
        const isUnfinished = isFirstImport || statement(HAS_TIME_INDEX).get() === undefined
        isFirstImport = false
        statement(TIME_INDEX).run()
        if (isUnfinished) addAllUnlisted(connection, store)
        statement('DELETE FROM progress').run()
      })
      database.statement(`PRAGMA cache_size = -${CACHE_KB}`).run()
      database.statement(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`).get()
      database.statement('PRAGMA shrink_memory').run()
    },
    receive: (received) =>
      change(() => {
        for (const each of received) addReceived(each)
      }),
    totals: () => database.read(readTotals),
    report: (query, nowMs) => database.read((connection) => report(connection, query, nowMs)),
    session: (session, nowMs) =>
      database.read((connection) => readSession(connection, session, nowMs)),
    windows: (nowMs) => database.read((connection) => readWindows(connection, nowMs)),
    sumSince: (filter) => database.read((connection) => sumSince(connection, filter)),
    sumSessions: (sessions) => database.read((connection) => sumSessions(connection, sessions)),
    close: () => database.close(),
  }
}

/** The sessions and models whose rest may differ now. */
const touchedBy = ({ calls, totals }: UsageBatch): Iterable<[session: string, model: string]> => {
  const touched = new Map<string, [string, string]>()
  for (const { session, model } of [...calls, ...totals]) {
    touched.set(`${session}\0${model}`, [session, model])
  }
  return touched.values()
}

const readMemory = (text: string): ReaderMemory => {
  const memory: ReaderMemory = {}
  for (const [key, value] of Object.entries(unwrap(parseJson(text, 'usage.sqlite')) ?? {})) {
    if (typeof value === 'string' || typeof value === 'number') memory[key] = value
  }
  return memory
}
