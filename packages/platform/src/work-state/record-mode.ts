import { isJsonObject, type JsonObject, modeHistoryEntry, type TurnMode } from '@steward/contract'
import { rowsOf } from './rows.ts'

/** The mode fields of a session after this turn. */
export const recordMode = (raw: JsonObject, mode: TurnMode, nowMs: number): JsonObject => {
  const rows = rowsOf(raw, 'modeHistory')
  if (rows === undefined) return { currentMode: mode }
  const last = modeHistoryEntry.safeParse(rows.at(-1)).data
  if (last?.mode === mode && last.endedAt === undefined) return { currentMode: mode }
  return {
    currentMode: mode,
    modeHistory: [...endLastMode(rows, nowMs), { mode, startedAt: nowMs }],
  }
}

/** The mode history with its last row closed. */
export const endLastMode = (rows: readonly unknown[], nowMs: number): unknown[] =>
  rows.map((row, index) => {
    const known = modeHistoryEntry.safeParse(row).data
    if (index !== rows.length - 1 || !isJsonObject(row) || known === undefined) return row
    return known.endedAt === undefined ? { ...row, endedAt: Math.max(known.startedAt, nowMs) } : row
  })
