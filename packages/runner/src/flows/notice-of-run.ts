import type { NotificationKind, Settings } from '@steward/contract'
import type { FlowNotice } from '@steward/engine'
import type { RunHistory } from '../history/history.ts'
import type { FlowOutcome } from './flow-runner.ts'

const MINUTE_MS = 60_000

/** A notification about a flow's run for a user who is not watching. */
export interface RunNotice extends FlowNotice {
  kind: Extract<NotificationKind, 'error' | 'longTask'>
}

export interface RunNoticePorts {
  settings: { notifications: Pick<Settings['notifications'], 'thresholds'> }
  history: Pick<RunHistory, 'list'>
  /** A user is watching the run, unless it takes too long. */
  isWatched: boolean
}

/**
 * Notifies about a run that failed or took longer than `thresholds.longTaskMinutes`. The same
 * failure as in the previous run is not repeated: a source that is down all night is reported once.
 */
export const noticeOfRun = (
  { runId, flow, summary }: FlowOutcome,
  { settings, history, isWatched }: RunNoticePorts,
): RunNotice | undefined => {
  const { thresholds } = settings.notifications
  const hasFailed = summary.outcome === 'failed'
  const isLong = summary.durationMs > thresholds.longTaskMinutes * MINUTE_MS
  if (!isLong && (!hasFailed || isWatched)) return undefined
  if (hasFailed && !isLong && hasFailedAlike(runId, flow, summary, history)) return undefined
  const minutes = Math.floor(summary.durationMs / MINUTE_MS)
  const took = isLong ? ` after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}` : ''
  return {
    key: `run/${runId}`,
    kind: hasFailed ? 'error' : 'longTask',
    title: flow,
    message: `${flow} ${hasFailed ? 'failed' : 'is done'}${took}: ${summary.reason}`,
  }
}

const hasFailedAlike = (
  runId: string,
  flow: string,
  { errors }: FlowOutcome['summary'],
  history: Pick<RunHistory, 'list'>,
): boolean => {
  const [before] = history.list({ name: flow, primitive: 'flow', before: runId, limit: 1 })
  const message = before?.status === 'failed' ? before.error?.message : undefined
  return message !== undefined && message === errors[0]?.message
}
