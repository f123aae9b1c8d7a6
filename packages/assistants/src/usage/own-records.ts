import { basename, dirname, join } from 'node:path'
import {
  isJsonObject,
  type JsonObject,
  OBSERVER_VERDICTS_FILE,
  type OWN_ORIGINS,
} from '@steward/contract'
import { openForeignDatabase } from '@steward/platform'
import { countIn, jsonLines, type LineFormat, objectIn, textIn, timeIn } from './json-lines.ts'
import type { UsageBatch, UsageCall, UsageReader } from './usage-reader.ts'

const PAGE_ROWS = 500
const NANO = 1_000_000_000
const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

/** Rows of a table in the order they were added; `rowid` is the first column. */
const readRows = function* (
  path: string,
  table: string,
  sql: string,
  read: (row: JsonObject) => UsageCall[],
  mark: UsageBatch['mark'] | undefined,
): Generator<UsageBatch> {
  const database = openForeignDatabase(path)
  try {
    if (database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) === undefined) {
      return
    }
    const newest = database.prepare(`SELECT max(rowid) AS newest FROM ${table}`).get()
    let from = Number(mark?.memory.row ?? 0)
    // The newest rows were deleted, so their numbers are given out again.
    if (Number(newest?.newest ?? 0) < from) from = 0
    const page = database.prepare(`${sql} LIMIT ${PAGE_ROWS}`)
    for (;;) {
      const rows = page.all(from)
      const last = rows.at(-1)
      if (last === undefined) return
      from = Number(last.rowid)
      const calls = rows.flatMap((row) => read({ ...row }))
      yield { calls, totals: [], mark: { offset: 0, memory: { row: from } } }
    }
  } finally {
    database.close()
  }
}

/** Model calls of actions, in the history of runs. */
const RUN_CALLS = `SELECT seq AS rowid, model_calls.*, name, runs.flow AS run_flow
  FROM model_calls JOIN runs ON runs.id = run_id WHERE seq > ? ORDER BY seq`

const readRunCall = (row: JsonObject): UsageCall[] => {
  const run = textIn(row, 'run_id')
  const model = textIn(row, 'model')
  if (run === undefined || model === undefined) return []
  const flow = textIn(row, 'flow')
  const title = textIn(row, 'name')
  return [
    {
      id: `${run} ${String(row.step)} ${String(row.ordinal)} ${String(row.rowid)}`,
      session: run,
      ...(flow === undefined ? {} : { flow }),
      ...(title === undefined ? {} : { title }),
      model,
      atMs: timeIn(row, 'at'),
      tokens: {
        ...NO_TOKENS,
        input: countIn(row, 'input_tokens'),
        output: countIn(row, 'output_tokens'),
      },
      computedUsd: typeof row.cost === 'number' ? row.cost : null,
    },
  ]
}

/** Model calls of hosted agents, with the price that their log recorded. */
const HOSTED_CALLS = `SELECT events.rowid AS rowid, events.id, COALESCE(json_extract(sessions.body, '$.session_id'), session_id) AS session_id, hidden, events.created_ms,
    json_extract(sessions.body, '$.agent.model.id') AS model,
    json_extract(sessions.body, '$.title') AS title
  FROM events JOIN sessions ON sessions.id = session_id
  WHERE events.rowid > ? AND type = 'span.model_request_end' ORDER BY events.rowid`

const readHostedCall = (row: JsonObject): UsageCall[] => {
  const hidden: unknown = typeof row.hidden === 'string' ? JSON.parse(row.hidden) : undefined
  const bill = isJsonObject(hidden) ? objectIn(hidden, 'bill') : undefined
  const id = textIn(row, 'id')
  const session = textIn(row, 'session_id')
  if (bill === undefined || id === undefined || session === undefined) return []
  const title = textIn(row, 'title')
  return [
    {
      id,
      session,
      ...(title === undefined ? {} : { title }),
      model: textIn(row, 'model') ?? 'unknown',
      atMs: timeIn(row, 'created_ms'),
      tokens: {
        input: countIn(bill, 'inputTokens'),
        output: countIn(bill, 'outputTokens'),
        cacheRead: countIn(bill, 'cacheReadTokens'),
        cacheWrite5m: countIn(bill, 'cacheWrite5mTokens'),
        cacheWrite1h: countIn(bill, 'cacheWrite1hTokens'),
      },
      computedUsd: typeof bill.nanoDollars === 'number' ? bill.nanoDollars / NANO : null,
    },
  ]
}

/** A verdict of observers has the cost of its votes, and no tokens. */
const VERDICTS: LineFormat = {
  marks: ['_usd":'],
  read: (row) => {
    const session = textIn(row, 'session_id')
    const cost = objectIn(row, 'cost')?.cycle_usd
    const votes = Array.isArray(row.votes) ? row.votes.filter(isJsonObject) : []
    const model = votes.map((vote) => textIn(vote, 'model')).find(Boolean)
    if (session === undefined || model === undefined) return {}
    const call: UsageCall = {
      id: `${session} ${String(row.cycle)} ${String(row.timestamp)}`,
      session,
      model,
      atMs: timeIn(row, 'timestamp'),
      tokens: NO_TOKENS,
      computedUsd: typeof cost === 'number' ? cost : null,
    }
    return { calls: [call] }
  },
}

/** Steward's own model calls, by the name that they have in the ledger. */
export const OWN_READERS: Record<(typeof OWN_ORIGINS)[number], UsageReader> = {
  runs: {
    folders: ({ home }) => (home === undefined ? [] : [{ path: stateIn(home), isDeep: false }]),
    sourceOf: (path) => databaseAt(path, 'history.sqlite', 'model_calls', RUN_CALLS, readRunCall),
  },
  hosted: {
    folders: ({ home }) => (home === undefined ? [] : [{ path: stateIn(home), isDeep: false }]),
    sourceOf: (path) => databaseAt(path, 'hosted.sqlite', 'events', HOSTED_CALLS, readHostedCall),
  },
  observers: {
    folders: ({ home }) =>
      home === undefined
        ? []
        : [{ path: dirname(join(home, OBSERVER_VERDICTS_FILE)), isDeep: false }],
    sourceOf: (path) =>
      basename(path) === basename(OBSERVER_VERDICTS_FILE) ? jsonLines(path, VERDICTS) : undefined,
  },
}

const stateIn = (home: string): string => join(home, 'state')

const databaseAt = (
  path: string,
  name: string,
  table: string,
  sql: string,
  read: (row: JsonObject) => UsageCall[],
): ReturnType<UsageReader['sourceOf']> => {
  const file = path.replace(/-wal$/, '')
  if (basename(file) !== name) return undefined
  return { path: file, read: (mark) => readRows(file, table, sql, read, mark) }
}
