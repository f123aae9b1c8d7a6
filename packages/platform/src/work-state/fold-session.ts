import { type JsonObject, phaseHistoryEntry } from '@steward/contract'
import { formatMoment } from './moments.ts'
import { readEntry } from './read-entry.ts'
import { joinRows } from './rows.ts'
import type { Session } from './sessions.ts'

/** Merges a light session into the full one without losing history. */
export const foldSession = (full: JsonObject, { slug, raw: light, view }: Session): JsonObject => {
  const own = readEntry(full)
  const toolActivityMs = latest(own.toolActivityMs, view.toolActivityMs)
  const startedMs = earliest(own.startedMs, view.startedMs)
  return {
    // Unknown fields come from the light session unless the full one has them.
    ...light,
    ...full,
    sessionName: own.sessionName ?? view.sessionName,
    phaseHistory: sortHistory(joinRows(light, full, 'phaseHistory')),
    ratings: joinRows(light, full, 'ratings'),
    modeHistory: joinRows(light, full, 'modeHistory'),
    agents: joinRows(light, full, 'agents'),
    capabilities: joinRows(light, full, 'capabilities'),
    minimalCount: own.minimalCount + view.minimalCount,
    ...(startedMs === undefined ? {} : { started: formatMoment(startedMs) }),
    ...(toolActivityMs === undefined ? {} : { lastToolActivity: formatMoment(toolActivityMs) }),
    previousSlugs: [...new Set([...own.previousSlugs, ...view.previousSlugs, slug])],
  }
}

/**
 * Sorted by time, with each row except the last closed where the next begins; unreadable rows keep
 * their place.
 */
const sortHistory = (rows: unknown): unknown => {
  if (!Array.isArray(rows)) return rows
  const known = rows.map((row: unknown) => phaseHistoryEntry.safeParse(row).data)
  if (known.some((row) => row === undefined)) return rows
  const sorted = known
    .filter((row) => row !== undefined)
    .toSorted((a, b) => a.startedAt - b.startedAt)
  return sorted.map((row, index) => {
    const next = sorted[index + 1]
    if (next === undefined || row.completedAt !== undefined) return row
    return { ...row, completedAt: Math.max(row.startedAt, next.startedAt) }
  })
}

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)
