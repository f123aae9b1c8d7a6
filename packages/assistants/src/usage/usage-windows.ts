import type { UsageOrigin, UsageWindow } from '@steward/contract'
import type { Connection } from '@steward/platform'
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
}

/**
 * The windows that are open now. One of five hours begins with the first call after the last one,
 * at the full hour. The share that is used is the vendor's, if it is known; otherwise it is relative
 * to the largest window of the last 30 days.
 */
export const readWindows = (connection: Connection, nowMs: number): UsageWindow[] =>
  LIMITED.flatMap((assistant) => {
    const quarters = readQuarters(connection, assistant, nowMs - COMPARED_MS)
    if (quarters.length === 0) return []
    return [FIVE_HOURS, WEEK].flatMap((length) => {
      const blocks = splitIntoBlocks(quarters, length * MINUTE_MS)
      const reported = readReported(connection, assistant, length, nowMs)
      const open = blocks.find(({ startMs }) => startMs + length * MINUTE_MS > nowMs)
      const startMs =
        reported === undefined ? open?.startMs : reported.resetsMs - length * MINUTE_MS
      if (startMs === undefined) return []
      const own = sumFrom(connection, assistant, startMs)
      // Without a price for each call, tokens tell more than the cost of the others.
      const unit = own.isPartial ? 'tokens' : 'usd'
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
  })

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

const COSTS = `coalesce(sum(coalesce(reported_nano, computed_nano)), 0) AS usd,
  coalesce(sum(input + output + cache_read + cache_write_5m + cache_write_1h), 0) AS tokens`

/** Blocks begin at full hours, so that quarters of an hour are exact. */
const readQuarters = ({ statement }: Connection, assistant: string, sinceMs: number): Block[] =>
  statement(
    `SELECT quarter, sum(usd) AS usd, sum(tokens) AS tokens FROM
       (SELECT quarter, ${COSTS} FROM call_rows
        WHERE context IN (SELECT id FROM contexts WHERE assistant = ?1 AND last_quarter >= ?2)
          AND quarter >= ?2
        GROUP BY context, quarter)
     GROUP BY quarter ORDER BY quarter`,
  )
    .all(assistant, Math.floor(sinceMs / QUARTER_MS))
    .map((row) => ({
      startMs: Number(row.quarter) * QUARTER_MS,
      usd: Number(row.usd),
      tokens: Number(row.tokens),
    }))

/** A window of the vendor begins at any time. */
const sumFrom = (
  { statement }: Connection,
  assistant: string,
  startMs: number,
): Pick<Block, 'usd' | 'tokens'> & { isPartial: boolean } => {
  const row = statement(
    `SELECT ${COSTS}, count(*) - count(coalesce(reported_nano, computed_nano)) AS unpriced
     FROM calls WHERE assistant = ?1 AND ${isSince('?2')}`,
  ).get(assistant, startMs)
  return {
    usd: Number(row?.usd),
    tokens: Number(row?.tokens),
    isPartial: Number(row?.unpriced) > 0,
  }
}

const splitIntoBlocks = (quarters: readonly Block[], lengthMs: number): Block[] => {
  const blocks: Block[] = []
  for (const { startMs, usd, tokens } of quarters) {
    const last = blocks.at(-1)
    if (last !== undefined && startMs < last.startMs + lengthMs) {
      last.usd += usd
      last.tokens += tokens
    } else {
      blocks.push({ startMs: Math.floor(startMs / HOUR_MS) * HOUR_MS, usd, tokens })
    }
  }
  return blocks
}
