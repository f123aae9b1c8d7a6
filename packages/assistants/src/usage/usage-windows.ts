import type { UsageOrigin, UsageWindow } from '@steward/contract'
import type { Connection } from '@steward/platform'
import { partsOf } from './ledger-parts.ts'
import type { ReportedWindow } from './usage-reader.ts'
import { isSince, NANO, QUARTER_MS } from './usage-sums.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const FIVE_HOURS = 300
const WEEK = 7 * 24 * 60
/** Vendors limit their subscriptions by these windows. */
const LIMITED = ['claude', 'codex'] as const
/** Earlier windows that the present one is compared with. */
const COMPARED_MS = 30 * 24 * HOUR_MS
/** Calls before this are taken from the last reading, which is kept for a while. */
const RECENT_MS = 24 * HOUR_MS
const KEPT_MS = 10 * MINUTE_MS

/** Keeps the newest that the vendor said. */
export const addWindow = (
  { statement }: Connection,
  assistant: UsageOrigin,
  { minutes, usedPercent, resetsMs, atMs }: ReportedWindow,
): void => {
  statement(
    `INSERT INTO windows VALUES (?, ?, ?, ?, ?) ON CONFLICT (assistant, minutes) DO UPDATE SET
       used_percent = excluded.used_percent, resets_ms = excluded.resets_ms, at_ms = excluded.at_ms
     WHERE excluded.at_ms >= windows.at_ms`,
  ).run(assistant, minutes, usedPercent, resetsMs, atMs)
}

interface Block {
  startMs: number
  usd: number
  tokens: number
  /** Calls without a price. */
  unpriced: number
}

interface Kept {
  atMs: number
  /** Where the recent calls begin. */
  recentMs: number
  earlier: readonly Block[]
}

export interface WindowReader {
  read: (connection: Connection, nowMs: number) => UsageWindow[]
  /** Must be called when earlier calls have changed: an import has ended, or prices are others. */
  forget: () => void
}

/** The sums of earlier days are kept: they are most of the work, and hardly change. */
export const createWindowReader = (): WindowReader => {
  const kept = new Map<string, Kept>()
  const quartersOf = (connection: Connection, assistant: string, nowMs: number): Block[] => {
    let known = kept.get(assistant)
    if (known === undefined || nowMs < known.atMs || nowMs - known.atMs > KEPT_MS) {
      const recentMs = Math.floor((nowMs - RECENT_MS) / QUARTER_MS) * QUARTER_MS
      const earlier = readQuarters(connection, assistant, nowMs - COMPARED_MS, recentMs)
      known = { atMs: nowMs, recentMs, earlier }
      kept.set(assistant, known)
    }
    return [...known.earlier, ...readQuarters(connection, assistant, known.recentMs, FOREVER_MS)]
  }
  return {
    read: (connection, nowMs) =>
      LIMITED.flatMap((assistant) =>
        windowsOf(connection, assistant, quartersOf(connection, assistant, nowMs), nowMs),
      ),
    forget: () => kept.clear(),
  }
}

/**
 * The windows that are open now. One of five hours begins with the first call after the last one,
 * at the full hour. The share that is used is the vendor's, if it is known; otherwise it is relative
 * to the largest window of the last 30 days.
 */
const windowsOf = (
  connection: Connection,
  assistant: (typeof LIMITED)[number],
  quarters: readonly Block[],
  nowMs: number,
): UsageWindow[] => {
  if (quarters.length === 0) return []
  return [FIVE_HOURS, WEEK].flatMap((length) => {
    const blocks = splitIntoBlocks(quarters, length * MINUTE_MS)
    const reported = readReported(connection, assistant, length, nowMs)
    const open = blocks.find(({ startMs }) => startMs + length * MINUTE_MS > nowMs)
    // A window of the vendor begins at any time.
    const own =
      reported === undefined
        ? open
        : sumFrom(connection, assistant, reported.resetsMs - length * MINUTE_MS)
    if (own === undefined) return []
    const { startMs } = own
    // Without a price for each call, tokens tell more than the cost of the others.
    const unit = own.unpriced > 0 ? 'tokens' : 'usd'
    const earlier = blocks.filter((each) => each !== open).map((each) => each[unit])
    const most = Math.max(0, ...earlier)
    const share = most === 0 ? null : (own[unit] / most) * 100
    return [
      {
        assistant,
        kind: length === WEEK ? ('week' as const) : ('five_hours' as const),
        started_at: new Date(startMs).toISOString(),
        resets_at: new Date(startMs + length * MINUTE_MS).toISOString(),
        tokens: own.tokens,
        known_usd: own.usd / NANO,
        used_percent: reported?.usedPercent ?? share,
        basis: reported === undefined ? ('largest earlier window' as const) : ('vendor' as const),
      },
    ]
  })
}

const readReported = (
  { statement }: Connection,
  assistant: string,
  length: number,
  nowMs: number,
): { usedPercent: number; resetsMs: number } | undefined => {
  const row = statement(
    `SELECT used_percent, resets_ms FROM windows
     WHERE assistant = ? AND minutes = ? AND resets_ms > ?`,
  ).get(assistant, length, nowMs)
  return row && { usedPercent: Number(row.used_percent), resetsMs: Number(row.resets_ms) }
}

const FOREVER_MS = Number.MAX_SAFE_INTEGER

const COSTS = `coalesce(sum(coalesce(reported_nano, computed_nano)), 0) AS usd,
  coalesce(sum(input + output + cache_read + cache_write_5m + cache_write_1h), 0) AS tokens,
  count(*) - count(coalesce(reported_nano, computed_nano)) AS unpriced`

/** Blocks begin at full hours, so that quarters of an hour are exact. */
const readQuarters = (
  { statement }: Connection,
  assistant: string,
  sinceMs: number,
  untilMs: number,
): Block[] =>
  statement(
    `SELECT quarter, sum(coalesce(part_reported, 0) + coalesce(part_computed, 0)) AS usd,
       sum(part_input + part_output + part_read + part_write) AS tokens,
       sum(part_unpriced) AS unpriced
     FROM ${partsOf(
       `context IN (SELECT id FROM contexts WHERE assistant = ?1 AND last_quarter >= ?2)
        AND quarter >= ?2 AND quarter < ?3`,
     )} GROUP BY quarter ORDER BY quarter`,
  )
    .all(assistant, Math.floor(sinceMs / QUARTER_MS), Math.floor(untilMs / QUARTER_MS))
    .map((row) => ({
      startMs: Number(row.quarter) * QUARTER_MS,
      usd: Number(row.usd),
      tokens: Number(row.tokens),
      unpriced: Number(row.unpriced),
    }))

const sumFrom = ({ statement }: Connection, assistant: string, startMs: number): Block => {
  const row = statement(`SELECT ${COSTS} FROM calls WHERE assistant = ?1 AND ${isSince('?2')}`).get(
    assistant,
    startMs,
  )
  return {
    startMs,
    usd: Number(row?.usd),
    tokens: Number(row?.tokens),
    unpriced: Number(row?.unpriced),
  }
}

const splitIntoBlocks = (quarters: readonly Block[], lengthMs: number): Block[] => {
  const blocks: Block[] = []
  for (const { startMs, usd, tokens, unpriced } of quarters) {
    const last = blocks.at(-1)
    if (last !== undefined && startMs < last.startMs + lengthMs) {
      last.usd += usd
      last.tokens += tokens
      last.unpriced += unpriced
    } else {
      blocks.push({ startMs: Math.floor(startMs / HOUR_MS) * HOUR_MS, usd, tokens, unpriced })
    }
  }
  return blocks
}
