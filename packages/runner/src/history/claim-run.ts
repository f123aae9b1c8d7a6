import type { Connection } from '@steward/platform'
import type { Owners } from './owners.ts'

const TAKE = `UPDATE runs SET status = 'running', owner = ?, ended_at = NULL, error = NULL WHERE id = ?`

/** The step to be tried again: it never ended, or it failed. */
const RETRY = `UPDATE steps SET attempts = attempts + 1, ended_at = NULL, error = NULL, spend = NULL,
  isolation = NULL WHERE run_id = ? AND idx >= 0 AND (ended_at IS NULL OR error IS NOT NULL)`

/**
 * Takes a run over inside a write. No other process can commit meanwhile, so a run that is
 * `running` here and whose owner is gone was really left behind.
 */
export const claimRun = (
  { statement }: Connection,
  runId: string,
  owners: Owners,
  { failed }: { failed: boolean },
): boolean => {
  const run = statement('SELECT status, owner FROM runs WHERE id = ?').get(runId)
  if (run === undefined) return false
  const isLeft = run.status === 'running' && !owners.isAlive(String(run.owner))
  if (!isLeft && !(failed && run.status === 'failed')) return false
  statement(TAKE).run(owners.own(), runId)
  statement(RETRY).run(runId)
  return true
}
