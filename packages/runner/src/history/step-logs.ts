import { type StepLog, stepLog } from '@steward/contract'
import type { Connection } from '@steward/platform'
import type { StepLogs } from './history.ts'
import type { HistoryRedactor } from './payloads.ts'

export const STEP_LOGS_MIGRATIONS = [
  `
  CREATE TABLE step_logs (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    entries TEXT NOT NULL
  ) STRICT;
  CREATE INDEX step_logs_by_run ON step_logs (run_id, idx, seq);
  `,
] as const

/** Masks secrets in whole texts: the lines of a key only look like one together. */
export const encodeLogs = (
  logs: readonly StepLog[],
  { redactFields }: HistoryRedactor,
): string | null => (logs.length === 0 ? null : JSON.stringify(redactFields({ logs }).value.logs))

export const storeLogs = (
  { statement }: Connection,
  runId: string,
  step: number,
  entries: string | null,
): void => {
  if (entries === null) return
  // A run that was pruned meanwhile needs no log.
  statement(
    'INSERT INTO step_logs (run_id, idx, entries) SELECT id, ?, ? FROM runs WHERE id = ?',
  ).run(step, entries, runId)
}

export const prepareLogs = (
  { runId, step, logs }: StepLogs,
  redactor: HistoryRedactor,
): ((connection: Connection) => void) => {
  const entries = encodeLogs(logs, redactor)
  return (connection) => storeLogs(connection, runId, step, entries)
}

/** The logs of a run's steps, by step counted from 0. */
export const readLogs = ({ statement }: Connection, runId: string): Map<number, StepLog[]> => {
  const found = new Map<number, StepLog[]>()
  const rows = statement('SELECT idx, entries FROM step_logs WHERE run_id = ? ORDER BY idx, seq')
  for (const { idx, entries } of rows.all(runId)) {
    const logs = stepLog.array().parse(JSON.parse(String(entries)))
    found.set(Number(idx), [...(found.get(Number(idx)) ?? []), ...logs])
  }
  return found
}

/** A retried step starts with an empty log, as it starts without an error. */
export const FORGET_RETRIED_LOGS = `DELETE FROM step_logs WHERE run_id = ?1 AND idx IN (
  SELECT idx FROM steps WHERE run_id = ?1 AND idx >= 0 AND (ended_at IS NULL OR error IS NOT NULL)
    AND mark IS NOT 'handled')`
