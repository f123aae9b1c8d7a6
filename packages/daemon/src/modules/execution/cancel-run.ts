import type { RunStatus } from '@steward/contract'
import { cancelStoredRun, findRun, type RunHistory } from '@steward/runner'
import type { LiveRuns } from './live-runs.ts'

interface Ports {
  history: () => RunHistory
  live: LiveRuns
  now: () => number
}

/** Stops a run of this daemon with all that it started; what no process has is only marked. */
export const cancelRun = async (
  idOrBeginning: string,
  { history, live, now }: Ports,
): Promise<{ id: string; status: RunStatus }> => {
  const { id, parentId } = findRun(history(), idOrBeginning)
  if (parentId === null) await live.cancel(id)
  return cancelStoredRun(history(), id, now())
}
