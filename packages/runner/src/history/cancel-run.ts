import { StewardError } from '@steward/contract'
import { recordError } from '@steward/engine'
import type { Connection } from '@steward/platform'
import type { Owners } from './owners.ts'

/** The end of a cancelled run: stored as a failure with this code. */
export const CANCELLED = 'run_cancelled'

const CANCEL = `UPDATE runs SET status = 'failed', ended_at = ?, error = ?, (step_count, spend) = (
    SELECT count(*), group_concat(spend) FROM steps WHERE run_id = runs.id AND idx >= 0)
  WHERE (id = ? OR parent_id = ?) AND status = 'running'`

/**
 * Cancels a run and its children inside a write. Does nothing if it is over or another live process
 * has it; this process must have stopped it before.
 */
export const cancelRun = (
  { statement }: Connection,
  runId: string,
  endedAt: number,
  owners: Owners,
): boolean => {
  const run = statement('SELECT status, owner FROM runs WHERE id = ?').get(runId)
  if (run?.status !== 'running') return false
  const owner = String(run.owner)
  if (owner !== owners.own() && owners.isAlive(owner)) return false
  const error = JSON.stringify(recordError(new StewardError(CANCELLED, { run: runId })))
  statement(CANCEL).run(endedAt, error, runId, runId)
  return true
}
