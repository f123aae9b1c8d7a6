import { isJsonObject, type JsonObject, type Phase, phaseHistoryEntry } from '@steward/contract'
import { formatMoment } from './moments.ts'
import { readEntry } from './read-entry.ts'
import { rowsOf } from './rows.ts'

/** The two sources of phases; the third value, `merged`, means both. */
export type PhaseSignal = 'voice' | 'isa'

/**
 * An entry in its next phase. Only the last history row is compared: the same phase from the other
 * source makes it `merged`, another phase closes it and starts a row. Spec 2, States and
 * transitions.
 */
export const appendPhase = (
  raw: JsonObject,
  phase: Phase,
  source: PhaseSignal,
  nowMs: number,
): JsonObject => {
  const rows = rowsOf(raw, 'phaseHistory')
  return {
    ...raw,
    phase: phase.toLowerCase(),
    updatedAt: formatMoment(nowMs),
    ...(rows === undefined ? {} : { phaseHistory: appendRow(rows, raw, phase, source, nowMs) }),
  }
}

/** The history with its last row closed. */
export const closeLast = (rows: readonly unknown[], nowMs: number): unknown[] =>
  rows.map((row, index) => (index === rows.length - 1 ? closed(row, nowMs) : row))

const appendRow = (
  rows: readonly unknown[],
  raw: JsonObject,
  phase: Phase,
  source: PhaseSignal,
  nowMs: number,
): unknown[] => {
  const last = phaseHistoryEntry.safeParse(rows.at(-1)).data
  if (last !== undefined && last.phase.toUpperCase() === phase) {
    const { completedAt, ...row } = { ...last, source: mergeSource(last.source, source) }
    // Reopens a closed row, for example after the clock jumped back before a session was merged.
    return rows.with(-1, phase === 'COMPLETE' ? { ...row, completedAt } : row)
  }
  const { criteria, agents } = readEntry(raw)
  const row = {
    phase,
    startedAt: nowMs,
    // Complete is closed immediately, because no work continues.
    ...(phase === 'COMPLETE' ? { completedAt: nowMs } : {}),
    criteriaCount: criteria.length,
    agentCount: agents.length,
    source,
  }
  return [...closeLast(rows, nowMs), row]
}

/** Older programs name the specification's signal `prd`. */
const mergeSource = (known: string | undefined, source: PhaseSignal): string => {
  if (known === undefined) return source
  const before = known === 'prd' ? 'isa' : known
  return before === source || before === 'merged' ? known : 'merged'
}

/** If the clock jumped back, a phase must not end before it began. */
const closed = (row: unknown, nowMs: number): unknown => {
  const known = phaseHistoryEntry.safeParse(row).data
  if (!isJsonObject(row) || known === undefined || known.completedAt !== undefined) return row
  return { ...row, completedAt: Math.max(known.startedAt, nowMs) }
}
