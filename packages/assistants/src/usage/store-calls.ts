import type { UsageOrigin } from '@steward/contract'
import type { Connection } from '@steward/platform'
import { type CallContext, COLUMNS, type PackedCalls, type SentSource } from './pack-calls.ts'

/** Stores calls of one connection; the contexts that it met last are remembered. */
export interface CallStore {
  /**
   * A row of a call may be repeated, incomplete at first, or copied without its output: the one with
   * the most output counts, and the one that was copied only until the other is found.
   */
  add: (calls: PackedCalls) => void
  /** Whether any assistant ever sent calls, which most do not. */
  hasSent: () => boolean
  /** A session's transcript replaces what was sent before it was found. */
  dropSent: (assistant: UsageOrigin, session: string, source: SentSource) => void
  /** Drops the logs of calls that a session has rows of. */
  dropRecorded: (assistant: UsageOrigin, session: string) => void
  /** Sent calls name no folder: they get that of the session's rows. */
  addFolder: (assistant: UsageOrigin, session: string) => void
  /** Whether a session or subagent has rows of its assistant. */
  isListed: (assistant: UsageOrigin, session: string) => boolean
  /** Whether a session has calls that its assistant sent as logs. */
  hasLogs: (assistant: UsageOrigin, session: string) => boolean
  setTitle: (assistant: UsageOrigin, session: string, title: string) => void
  /** Must be called after a change was undone. */
  forget: () => void
}

const MOST_CONTEXTS = 1000
/** Rows that one statement stores: each has a part of the time of a statement. */
const TOGETHER = 32

export const createCallStore = ({ statement }: Connection): CallStore => {
  const contexts = new Map<number, { id: number; lastQuarter: number }>()

  /** The ids of contexts, which get one if they are new. Also stores when each had its last call. */
  const idsOf = ({ contexts: found, numbers }: PackedCalls): number[] => {
    if (contexts.size >= MOST_CONTEXTS) contexts.clear()
    const lasts = lastQuarters(found.length, numbers)
    const unknown = found.flatMap((context, place) => {
      const last = lasts[place] ?? 0
      const known = contexts.get(context.hash)
      return known !== undefined && known.lastQuarter >= last ? [] : [[...valuesOf(context), last]]
    })
    for (let at = 0; at < unknown.length; ) {
      const isSeveral = at + TOGETHER <= unknown.length
      const some = unknown.slice(at, at + (isSeveral ? TOGETHER : 1))
      const rows = statement(isSeveral ? INSERT_CONTEXTS : INSERT_CONTEXT).all(...some.flat())
      for (const { id, hash, last_quarter } of rows) {
        contexts.set(Number(hash), { id: Number(id), lastQuarter: Number(last_quarter) })
      }
      at += some.length
    }
    return found.map(({ hash }) => contexts.get(hash)?.id ?? Number.NaN)
  }

  const setTitle: CallStore['setTitle'] = (assistant, session, title) => {
    statement('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)').run(assistant, session, title)
  }

  return {
    setTitle,
    forget: () => contexts.clear(),
    add: (packed) => {
      const { numbers } = packed
      const ids = idsOf(packed)
      const several = statement(INSERT_SEVERAL)
      const one = statement(INSERT_ONE)
      const values: Array<number | null> = []
      for (let at = 0; at < numbers.length; ) {
        const isSeveral = at + TOGETHER * COLUMNS <= numbers.length
        const to = at + (isSeveral ? TOGETHER * COLUMNS : COLUMNS)
        for (let place = 0; at < to; place++, at++) {
          const value = numbers[at] ?? Number.NaN
          if (place % COLUMNS === CONTEXT) values[place] = ids[value] ?? null
          else values[place] = Number.isNaN(value) ? null : value
        }
        if (!isSeveral) values.length = COLUMNS
        ;(isSeveral ? several : one).run(...values)
      }
    },
    hasSent: () => statement(`SELECT 1 FROM ${SENT} WHERE ${IS_SENT} LIMIT 1`).get() !== undefined,
    dropSent: (assistant, session, source) => {
      statement(
        `DELETE FROM call_rows WHERE context IN
           (SELECT id FROM ${SENT} WHERE session = ? AND assistant = ? AND ${IS_SENT} AND source = ?)`,
      ).run(session, assistant, source)
    },
    dropRecorded: (assistant, session) => {
      statement(DROP_RECORDED).run(assistant, session)
    },
    addFolder: (assistant, session) => {
      statement(ADD_FOLDER).run(assistant, session)
    },
    isListed: (assistant, session) =>
      statement(
        `SELECT 1 FROM contexts WHERE assistant = ?1 AND session = ?2 AND ${IS_RECORD}
         UNION ALL
         SELECT 1 FROM contexts
         WHERE assistant = ?1 AND subagent = ?2 AND subagent <> '' AND ${IS_RECORD} LIMIT 1`,
      ).get(assistant, session) !== undefined,
    hasLogs: (assistant, session) =>
      statement(
        `SELECT 1 FROM call_rows WHERE context IN
           (SELECT id FROM ${SENT}
            WHERE session = ? AND assistant = ? AND ${IS_SENT} AND source = 'logs') LIMIT 1`,
      ).get(session, assistant) !== undefined,
  }
}

const valuesOf = (context: CallContext): Array<string | number> => {
  const { hash, assistant, session, source, model, subagent, project, branch, flow } = context
  return [hash, assistant, session, source, model, subagent, project, branch, flow]
}

/** When each context had its last call. */
const lastQuarters = (count: number, numbers: Float64Array): number[] => {
  const lasts = Array.from({ length: count }, () => 0)
  for (let at = 0; at < numbers.length; at += COLUMNS) {
    const place = numbers[at + CONTEXT] ?? 0
    lasts[place] = Math.max(lasts[place] ?? 0, numbers[at + QUARTER] ?? 0)
  }
  return lasts
}

/** Without the update, a row that exists is not returned. */
const insertContexts = (count: number): string => `INSERT INTO contexts
    (hash, assistant, session, source, model, subagent, project, branch, flow, last_quarter)
  VALUES ${Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join()}
  ON CONFLICT (hash) DO UPDATE SET last_quarter = max(last_quarter, excluded.last_quarter)
  RETURNING id, hash, last_quarter`
const INSERT_CONTEXT = insertContexts(1)
const INSERT_CONTEXTS = insertContexts(TOGETHER)

/** Places among the columns of a call. */
const CONTEXT = 1
const QUARTER = 10
const ROW = `(${Array.from({ length: COLUMNS }, () => '?').join()})`
const insertRows = (count: number): string =>
  `INSERT INTO call_rows VALUES ${Array.from({ length: count }, () => ROW).join()}
  ON CONFLICT DO UPDATE SET
    context = excluded.context, at_ms = excluded.at_ms, input = excluded.input,
    output = excluded.output, cache_read = excluded.cache_read,
    cache_write_5m = excluded.cache_write_5m, cache_write_1h = excluded.cache_write_1h,
    reported_nano = excluded.reported_nano, computed_nano = excluded.computed_nano,
    quarter = excluded.quarter
  WHERE excluded.output > call_rows.output OR (
    excluded.output = call_rows.output AND excluded.context <> call_rows.context
    AND (SELECT source FROM contexts WHERE id = call_rows.context) = 'copy'
    AND (SELECT source FROM contexts WHERE id = excluded.context) = 'record')`
const INSERT_ONE = insertRows(1)
const INSERT_SEVERAL = insertRows(TOGETHER)

/** Most sessions sent nothing, which an index of those that did tells at once. */
const SENT = 'contexts INDEXED BY contexts_sent'
const IS_SENT = `source IN ('logs', 'metrics')`
const IS_RECORD = `source IN ('record', 'copy')`

const ADD_FOLDER = `UPDATE contexts SET project = own.project, branch = own.branch
  FROM (SELECT project, branch FROM contexts
    WHERE assistant = ?1 AND session = ?2 AND source = 'record' AND subagent = '' AND project <> ''
    ORDER BY last_quarter DESC, id DESC LIMIT 1) AS own
  WHERE contexts.id IN (SELECT id FROM ${SENT}
    WHERE assistant = ?1 AND session = ?2 AND ${IS_SENT} AND project = '')`

/** Logs do not name the row. Calls of a session differ in their prompt, which grows. */
const DROP_RECORDED = `DELETE FROM call_rows WHERE (context, quarter, key) IN (
  SELECT sent.context, sent.quarter, sent.key FROM ${SENT} JOIN call_rows AS sent ON sent.context = contexts.id
  WHERE assistant = ?1 AND session = ?2 AND ${IS_SENT} AND source = 'logs' AND EXISTS (
    SELECT 1 FROM calls WHERE calls.assistant = ?1
      AND (calls.session = ?2 OR calls.subagent = ?2) AND ${IS_RECORD}
      AND calls.input = sent.input AND calls.cache_read = sent.cache_read
      AND calls.cache_write_5m + calls.cache_write_1h
        = sent.cache_write_5m + sent.cache_write_1h))`
