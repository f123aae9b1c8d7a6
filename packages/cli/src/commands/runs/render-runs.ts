import type { RunRecord, RunStatus } from '@steward/contract'
import { formatDuration, formatSpend, formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'

const ENDING_CHARS = 8

/**
 * The part that people copy: runs of one day share the beginning of their ids, the end is random.
 */
export const endOfRunId = (id: string): string => id.slice(-ENDING_CHARS)

/** One line per run, latest first. */
export const renderRuns = (runs: readonly RunRecord[], paint: Paint): string => {
  if (runs.length === 0) return 'no runs\n'
  const rows = runs.map(({ id, name, status, startedAt, durationMs, spend }) => [
    endOfRunId(id),
    paintStatus(status, paint),
    name,
    formatTime(startedAt),
    durationMs === null ? '' : formatDuration(durationMs),
    formatSpend(spend),
  ])
  return formatTable([
    ['run', 'status', 'name', 'started', 'took', 'spent'].map(paint.dim),
    ...rows,
  ])
}

export const paintStatus = (status: RunStatus, paint: Paint): string => {
  switch (status) {
    case 'completed':
      return paint.green(status)
    case 'failed':
      return paint.red(status)
    case 'interrupted':
    case 'cancelled':
    case 'filtered':
      return paint.yellow(status)
    case 'running':
      return paint.cyan(status)
  }
}
