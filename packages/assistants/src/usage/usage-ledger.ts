import {
  parseJson,
  type UsageOrigin,
  type UsageQuery,
  type UsageReport,
  type UsageWindow,
  unwrap,
} from '@steward/contract'
import { type CallTokens, type PriceTable, priceCall } from '@steward/models'
import { type Connection, openDatabase } from '@steward/platform'
import type { ReaderMemory, SessionTotal, UsageBatch, UsageCall } from './usage-reader.ts'
import {
  type CostFilter,
  type LedgerReport,
  type ModelTotal,
  NANO,
  readTotals,
  report,
  type SessionCost,
  sumSince,
} from './usage-report.ts'
import { addWindow, readWindows } from './usage-windows.ts'

const CACHE_KB = 2000
const IMPORT_CACHE_KB = 64_000

const MIGRATIONS = [
  `CREATE TABLE calls (
     assistant TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, subagent TEXT,
     project TEXT, branch TEXT, model TEXT NOT NULL, at_ms INTEGER NOT NULL,
     input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
     cache_write_5m INTEGER NOT NULL, cache_write_1h INTEGER NOT NULL,
     reported_nano INTEGER, computed_nano INTEGER,
     PRIMARY KEY (assistant, id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX calls_by_time ON calls (at_ms);
   CREATE INDEX calls_by_session ON calls (assistant, session, model);
   CREATE TABLE totals (
     assistant TEXT NOT NULL, session TEXT NOT NULL, model TEXT NOT NULL, at_ms INTEGER NOT NULL,
     input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
     cache_write INTEGER NOT NULL, inherited_input INTEGER NOT NULL,
     inherited_output INTEGER NOT NULL, inherited_cache_read INTEGER NOT NULL,
     inherited_cache_write INTEGER NOT NULL,
     PRIMARY KEY (assistant, session, model)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE files (
     path TEXT PRIMARY KEY, stamp TEXT NOT NULL, offset INTEGER NOT NULL, memory TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE calls ADD COLUMN flow TEXT;
   CREATE TABLE sessions (
     assistant TEXT NOT NULL, session TEXT NOT NULL, title TEXT NOT NULL,
     PRIMARY KEY (assistant, session)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE progress (
     one INTEGER PRIMARY KEY CHECK (one = 1), done INTEGER NOT NULL, total INTEGER NOT NULL,
     bytes INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE windows (
     assistant TEXT NOT NULL, minutes INTEGER NOT NULL, used_percent REAL NOT NULL,
     resets_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (assistant, minutes)
   ) STRICT, WITHOUT ROWID;`,
]

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
  /** The state of each file when it was last read to its end. */
  stamps: () => ReadonlyMap<string, string>
  fileState: (path: string) => FileState | undefined
  /** Stores calls together with how far their files were read. */
  add: (entries: readonly LedgerEntry[], progress?: Progress) => void
  /** How far an import is, also one of another process; null if none runs. */
  progress: () => Progress | null
  /** Calls of thousands of files follow; memory makes that faster. */
  beginImport: () => void
  endImport: () => void
  /** Stores calls that an assistant sent; those of sessions with a transcript are in it. */
  receive: (calls: readonly ReceivedCall[]) => void
  /** All calls by assistant and model. */
  totals: () => ModelTotal[]
  report: (query: UsageQuery, nowMs: number) => LedgerReport
  /** Five-hour and weekly windows of assistants with such limits. */
  windows: (nowMs: number) => UsageWindow[]
  /** The cost of calls since then, by session, the most expensive first. */
  sumSince: (filter: CostFilter) => SessionCost[]
  close: () => Promise<void>
}

/**
 * `state/usage.sqlite`: every model call of assistants and of Steward itself, counted once. Assistants delete their
 * records after a while; the ledger keeps what it has read.
 */
export const openUsageLedger = (path: string, prices?: PriceTable): UsageLedger => {
  const database = openDatabase(path, { migrations: MIGRATIONS })
  // What a power failure takes is read again: calls are stored with how far their file was read.
  database.statement('PRAGMA synchronous = NORMAL').run()
  return {
    stamps: () =>
      database.read(({ statement }) => {
        const rows = statement('SELECT path, stamp FROM files').all()
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
      database.writeNow((connection) => {
        for (const entry of entries) addEntry(connection, entry, prices)
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
    },
    endImport: () => {
      database.writeNow(({ statement }) => void statement('DELETE FROM progress').run())
      database.statement(`PRAGMA cache_size = -${CACHE_KB}`).run()
      database.statement('PRAGMA shrink_memory').run()
    },
    receive: (received) =>
      database.writeNow((connection) => {
        for (const each of received) addReceived(connection, each, prices)
      }),
    totals: () => database.read(readTotals),
    report: (query, nowMs) => database.read((connection) => report(connection, query, nowMs)),
    windows: (nowMs) => database.read((connection) => readWindows(connection, nowMs)),
    sumSince: (filter) => database.read((connection) => sumSince(connection, filter)),
    close: () => database.close(),
  }
}

/** Sent calls have ids that begin with this, then their session and source. */
const SENT = 'otlp '
const METRICS = 'metrics '
/** The thread of a subagent lasts no longer, so that its row is found by time. */
const DAY_MS = 86_400_000

const addReceived = (
  connection: Connection,
  { assistant, source, key, call }: ReceivedCall,
  prices: PriceTable | undefined,
): void => {
  const { session, atMs } = call
  if (isListed(connection, assistant, session, atMs)) return
  const prefix = `${SENT}${session} `
  const metrics = `${prefix}${METRICS}`
  if (source === 'logs') dropIds(connection, assistant, metrics)
  else if (hasOtherIds(connection, assistant, prefix, metrics)) return
  const id = `${source === 'logs' ? prefix : metrics}${key}`
  addCall(connection, assistant, { ...call, id }, prices)
}

/** Whether its transcript is in the ledger; assistants send the calls of a subagent as its own. */
const isListed = (
  { statement }: Connection,
  assistant: UsageOrigin,
  session: string,
  atMs: number,
): boolean =>
  statement(
    `SELECT 1 FROM calls WHERE assistant = ?1 AND session = ?2 AND id NOT LIKE '${SENT}%'
     UNION ALL
     SELECT 1 FROM calls WHERE at_ms BETWEEN ?3 AND ?4 AND assistant = ?1 AND subagent = ?2 LIMIT 1`,
  ).get(assistant, session, atMs - DAY_MS, atMs + DAY_MS) !== undefined

/** The first text after all that begin with this one. */
const after = (prefix: string): string => `${prefix}\u{10ffff}`

const dropIds = ({ statement }: Connection, assistant: UsageOrigin, prefix: string): void => {
  statement('DELETE FROM calls WHERE assistant = ? AND id >= ? AND id < ?').run(
    assistant,
    prefix,
    after(prefix),
  )
}

const hasOtherIds = (
  { statement }: Connection,
  assistant: UsageOrigin,
  prefix: string,
  except: string,
): boolean =>
  statement(
    `SELECT 1 FROM calls WHERE assistant = ?1 AND id >= ?2 AND id < ?3
       AND NOT (id >= ?4 AND id < ?5) LIMIT 1`,
  ).get(assistant, prefix, after(prefix), except, after(except)) !== undefined

const addEntry = (
  connection: Connection,
  { assistant, path, stamp, batch }: LedgerEntry,
  prices: PriceTable | undefined,
): void => {
  const { calls, totals, titles = [], windows = [], mark } = batch
  for (const { session, title } of titles) setTitle(connection, assistant, session, title)
  for (const window of windows) addWindow(connection, assistant, window)
  for (const call of calls) addCall(connection, assistant, call, prices)
  for (const total of totals) addTotal(connection, assistant, total)
  const touched = new Map(
    [...calls, ...totals].map(({ session, model }) => [`${session}\0${model}`, { session, model }]),
  )
  // A session's transcript replaces what was sent before it was found.
  const listed = calls.flatMap(({ session, subagent }) => [session, subagent ?? session])
  for (const session of new Set(listed)) dropIds(connection, assistant, `${SENT}${session} `)
  for (const { session, model } of touched.values()) {
    addUnlisted(connection, assistant, session, model, prices)
  }
  connection
    .statement('INSERT OR REPLACE INTO files (path, stamp, offset, memory) VALUES (?, ?, ?, ?)')
    .run(path, stamp, mark.offset, JSON.stringify(mark.memory))
}

const readMemory = (text: string): ReaderMemory => {
  const memory: ReaderMemory = {}
  for (const [key, value] of Object.entries(unwrap(parseJson(text, 'usage.sqlite')) ?? {})) {
    if (typeof value === 'string' || typeof value === 'number') memory[key] = value
  }
  return memory
}

/**
 * A row of a call may be repeated, incomplete at first, or copied without its output: the one with
 * the most output counts.
 */
const addCall = (
  { statement }: Connection,
  assistant: UsageOrigin,
  call: UsageCall,
  prices: PriceTable | undefined,
): void => {
  const { id, session, subagent, project, branch, flow, title, model, atMs } = call
  const { tokens, costUsd, computedUsd } = call
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = tokens
  statement(
    `INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (assistant, id) DO UPDATE SET
       session = excluded.session, subagent = excluded.subagent, project = excluded.project,
       branch = excluded.branch, model = excluded.model, at_ms = excluded.at_ms,
       input = excluded.input, output = excluded.output, cache_read = excluded.cache_read,
       cache_write_5m = excluded.cache_write_5m, cache_write_1h = excluded.cache_write_1h,
       reported_nano = excluded.reported_nano, computed_nano = excluded.computed_nano
     WHERE excluded.output > calls.output`,
  ).run(
    ...[assistant, id, session, subagent ?? null, project ?? null, branch ?? null, model, atMs],
    ...[input, output, cacheRead, cacheWrite5m, cacheWrite1h],
    costUsd === undefined ? null : toNano(costUsd),
    computedUsd === undefined ? priceCall(model, tokens, prices) : toNano(computedUsd),
    flow ?? null,
  )
  if (title !== undefined) setTitle({ statement }, assistant, session, title)
}

const setTitle = (
  { statement }: Connection,
  assistant: UsageOrigin,
  session: string,
  title: string,
): void => {
  statement('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)').run(assistant, session, title)
}

const toNano = (usd: number | null): number | null => (usd === null ? null : Math.round(usd * NANO))

const addTotal = (
  { statement }: Connection,
  assistant: UsageOrigin,
  { session, model, atMs, tokens, isInherited }: SessionTotal,
): void => {
  const { input, output, cacheRead, cacheWrite5m } = tokens
  const counts = [input, output, cacheRead, cacheWrite5m]
  statement(
    `INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (assistant, session, model) DO UPDATE SET
       at_ms = excluded.at_ms, input = max(input, excluded.input),
       output = max(output, excluded.output), cache_read = max(cache_read, excluded.cache_read),
       cache_write = max(cache_write, excluded.cache_write)`,
  ).run(assistant, session, model, atMs, ...counts, ...(isInherited ? counts : [0, 0, 0, 0]))
}

/** What a session's totals contain beyond its rows, as one more call. */
const addUnlisted = (
  { statement }: Connection,
  assistant: UsageOrigin,
  session: string,
  model: string,
  prices: PriceTable | undefined,
): void => {
  const id = `unlisted ${session} ${model}`
  const missing = statement(
    `SELECT totals.at_ms,
       max(0, totals.input - inherited_input - coalesce(sum(calls.input), 0)) AS input,
       max(0, totals.output - inherited_output - coalesce(sum(calls.output), 0)) AS output,
       max(0, totals.cache_read - inherited_cache_read - coalesce(sum(calls.cache_read), 0)) AS cache_read,
       max(0, totals.cache_write - inherited_cache_write
         - coalesce(sum(calls.cache_write_5m + calls.cache_write_1h), 0)) AS cache_write,
       max(project) AS project
     FROM totals LEFT JOIN calls USING (assistant, session, model)
     WHERE assistant = ? AND session = ? AND model = ? AND coalesce(calls.id, '') <> ?
     GROUP BY totals.assistant`,
  ).get(assistant, session, model, id)
  if (missing === undefined) return
  const tokens: CallTokens = {
    input: Number(missing.input),
    output: Number(missing.output),
    cacheRead: Number(missing.cache_read),
    cacheWrite5m: Number(missing.cache_write),
    cacheWrite1h: 0,
  }
  const { input, output, cacheRead, cacheWrite5m } = tokens
  if (input + output + cacheRead + cacheWrite5m === 0) {
    statement('DELETE FROM calls WHERE assistant = ? AND id = ?').run(assistant, id)
    return
  }
  statement(
    `INSERT OR REPLACE INTO calls
     VALUES (?, ?, ?, NULL, ?, NULL, ?, ?, ?, ?, ?, ?, 0, NULL, ?, NULL)`,
  ).run(
    ...[assistant, id, session, missing.project ?? null, model, Number(missing.at_ms)],
    ...[input, output, cacheRead, cacheWrite5m],
    priceCall(model, tokens, prices),
  )
}
