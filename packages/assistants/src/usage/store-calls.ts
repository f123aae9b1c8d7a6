import type { UsageOrigin } from '@steward/contract'
import { type PriceTable, priceCall } from '@steward/models'
import type { Connection } from '@steward/platform'
import type { UsageCall } from './usage-reader.ts'
import { NANO, QUARTER_MS } from './usage-sums.ts'

type SentSource = 'logs' | 'metrics'
type CallSource = 'record' | SentSource | 'rest'

/** Stores calls of one connection; the contexts that it met last are remembered. */
export interface CallStore {
  /**
   * A row of a call may be repeated, incomplete at first, or copied without its output: the one with
   * the most output counts.
   */
  add: (assistant: UsageOrigin, call: UsageCall, source: CallSource) => void
  /** A session's transcript replaces what was sent before it was found. */
  dropSent: (assistant: UsageOrigin, session: string, source: SentSource) => void
  /** Drops the logs of calls that a session has rows of. */
  dropRecorded: (assistant: UsageOrigin, session: string) => void
  /** Whether a session or subagent has rows of its assistant. */
  isListed: (assistant: UsageOrigin, session: string) => boolean
  /** Whether a session has calls that its assistant sent as logs. */
  hasLogs: (assistant: UsageOrigin, session: string) => boolean
  setTitle: (assistant: UsageOrigin, session: string, title: string) => void
  /** Must be called after a change was undone. */
  forget: () => void
}

const MOST_CONTEXTS = 1000

export const createCallStore = (
  { statement }: Connection,
  prices: PriceTable | undefined,
): CallStore => {
  const contexts = new Map<string, number>()
  let last: UsageCall | undefined
  let lastKind = ''
  let lastContext = 0

  const contextOf = (assistant: UsageOrigin, call: UsageCall, source: CallSource): number => {
    const kind = `${assistant} ${source}`
    if (last !== undefined && kind === lastKind && isSameContext(last, call)) return lastContext
    last = call
    lastKind = kind
    const { session, model, subagent = '', project = '', branch = '', flow = '' } = call
    const values = [assistant, session, source, model, subagent, project, branch, flow]
    const name = values.join('\0')
    const known = contexts.get(name)
    if (known !== undefined) {
      lastContext = known
      return known
    }
    // The update changes nothing; without it the row that exists is not returned.
    const row = statement(
      `INSERT INTO contexts
         (hash, assistant, session, source, model, subagent, project, branch, flow)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (hash) DO UPDATE SET flow = excluded.flow RETURNING id`,
    ).get(keyOf(name), ...values)
    if (contexts.size >= MOST_CONTEXTS) contexts.clear()
    lastContext = Number(row?.id)
    contexts.set(name, lastContext)
    return lastContext
  }

  const setTitle: CallStore['setTitle'] = (assistant, session, title) => {
    statement('INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)').run(assistant, session, title)
  }

  return {
    setTitle,
    forget: () => {
      contexts.clear()
      last = undefined
    },
    add: (assistant, call, source) => {
      const { id, session, title, model, atMs, tokens, costUsd, computedUsd } = call
      const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = tokens
      statement(INSERT).run(
        keyOf(`${assistant} ${id}`),
        contextOf(assistant, call, source),
        atMs,
        input,
        output,
        cacheRead,
        cacheWrite5m,
        cacheWrite1h,
        costUsd === undefined ? null : toNano(costUsd),
        computedUsd === undefined ? priceCall(model, tokens, prices) : toNano(computedUsd),
      )
      if (title !== undefined) setTitle(assistant, session, title)
    },
    dropSent: (assistant, session, source) => {
      statement(
        `DELETE FROM call_rows WHERE context IN
           (SELECT id FROM ${SENT} WHERE session = ? AND assistant = ? AND ${IS_SENT} AND source = ?)`,
      ).run(session, assistant, source)
    },
    dropRecorded: (assistant, session) => {
      statement(DROP_RECORDED).run(assistant, session)
    },
    isListed: (assistant, session) =>
      statement(
        `SELECT 1 FROM contexts WHERE assistant = ?1 AND session = ?2 AND source = 'record'
         UNION ALL
         SELECT 1 FROM contexts
         WHERE assistant = ?1 AND subagent = ?2 AND subagent <> '' AND source = 'record' LIMIT 1`,
      ).get(assistant, session) !== undefined,
    hasLogs: (assistant, session) =>
      statement(
        `SELECT 1 FROM call_rows WHERE context IN
           (SELECT id FROM ${SENT}
            WHERE session = ? AND assistant = ? AND ${IS_SENT} AND source = 'logs') LIMIT 1`,
      ).get(session, assistant) !== undefined,
  }
}

const INSERT = `INSERT INTO call_rows VALUES (?, ?, ?3, ?, ?, ?, ?, ?, ?, ?, CAST(?3 AS INTEGER) / ${QUARTER_MS})
  ON CONFLICT DO UPDATE SET
    context = excluded.context, at_ms = excluded.at_ms, input = excluded.input,
    output = excluded.output, cache_read = excluded.cache_read,
    cache_write_5m = excluded.cache_write_5m, cache_write_1h = excluded.cache_write_1h,
    reported_nano = excluded.reported_nano, computed_nano = excluded.computed_nano,
    quarter = excluded.quarter
  WHERE excluded.output > call_rows.output`

/** Most sessions sent nothing, which an index of those that did tells at once. */
const SENT = 'contexts INDEXED BY contexts_sent'
const IS_SENT = `source IN ('logs', 'metrics')`

/** Logs do not name the row. Calls of a session differ in their prompt, which grows. */
const DROP_RECORDED = `DELETE FROM call_rows WHERE key IN (
  SELECT sent.key FROM ${SENT} JOIN call_rows AS sent ON sent.context = contexts.id
  WHERE assistant = ?1 AND session = ?2 AND ${IS_SENT} AND source = 'logs' AND EXISTS (
    SELECT 1 FROM calls WHERE calls.assistant = ?1
      AND (calls.session = ?2 OR calls.subagent = ?2) AND calls.source = 'record'
      AND calls.input = sent.input AND calls.cache_read = sent.cache_read
      AND calls.cache_write_5m + calls.cache_write_1h
        = sent.cache_write_5m + sent.cache_write_1h))`

const isSameContext = (one: UsageCall, other: UsageCall): boolean =>
  one.session === other.session &&
  one.model === other.model &&
  one.subagent === other.subagent &&
  one.project === other.project &&
  one.branch === other.branch &&
  one.flow === other.flow

const toNano = (usd: number | null): number | null => (usd === null ? null : Math.round(usd * NANO))

const HIGH = 2 ** 21
const LOW_BITS = HIGH - 1

/**
 * 53 bits of a name of a call or context, because numbers are stored and found faster than text. Of a million calls,
 * two have the same with a probability of 1 to 18,000.
 */
export const keyOf = (name: string): number => {
  let one = 0xdeadbeef
  let two = 0x41c6ce57
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at)
    one = Math.imul(one ^ code, 0x9e3779b1)
    two = Math.imul(two ^ code, 0x5f356495)
  }
  one = mix(one, two)
  two = mix(two, one)
  return (two >>> 0) * HIGH + (one & LOW_BITS)
}

const mix = (one: number, two: number): number =>
  Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(two ^ (two >>> 13), 0xc2b2ae35)
