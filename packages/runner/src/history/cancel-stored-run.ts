import { type RunStatus, StewardError } from '@steward/contract'
import { findRecord } from './find-run.ts'
import type { RunHistory } from './history.ts'

/**
 * Marks a stopped run as cancelled; a finished run is unchanged. Refused if another process works
 * on it, and for a part of a flow's run.
 */
export const cancelStoredRun = async (
  history: RunHistory,
  reference: string,
  endedAt: number,
): Promise<{ id: string; status: RunStatus }> => {
  const { id, parentId } = findRecord(history, reference)
  if (parentId !== null) {
    const reason = `it is part of run ${parentId}; cancel that one`
    throw new StewardError('invalid_input', { subject: `run ${id}`, reason })
  }
  await history.cancel(id, endedAt)
  const { status } = findRecord(history, id)
  if (status !== 'running') return { id, status }
  const reason = 'only the process that started it can end it'
  throw new StewardError('run_active', { subject: `run ${id}`, reason })
}
