import { createHash } from 'node:crypto'
import type { NotificationKind, Settings } from '@steward/contract'
import { type FlowNotice, isFailedRun } from '@steward/engine'
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
 * Notifies about a run that gave items up, delivered nothing because of errors, or took longer than
 * `thresholds.longTaskMinutes`. The same failure as in the previous run is not repeated: a source
 * that is down all night is reported once.
 */
export const noticeOfRun = (
  outcome: FlowOutcome,
  { settings, history, isWatched }: RunNoticePorts,
): RunNotice | undefined => {
  const { runId, flow, summary } = outcome
  if (outcome.givenUp.length > 0) return noticeOfGivenUp(outcome)
  const { thresholds } = settings.notifications
  const hasFailed = isFailedRun(summary)
  const isLong = summary.durationMs > thresholds.longTaskMinutes * MINUTE_MS
  if (!isLong && (!hasFailed || isWatched)) return undefined
  if (hasFailed && !isLong && hasFailedAlike(runId, flow, summary, history)) return undefined
  const minutes = Math.floor(summary.durationMs / MINUTE_MS)
  const took = isLong ? ` after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}` : ''
  return {
    key: `run/${runId}`,
    kind: hasFailed ? 'error' : 'longTask',
    title: flow,
    message: `${flow} ${stateOf(outcome)}${took}: ${summary.reason}`,
  }
}

const stateOf = ({ summary }: FlowOutcome): string => {
  if (summary.blocked !== null) return 'is blocked'
  if (summary.outcome === 'failed') return 'failed'
  return isFailedRun(summary) ? 'delivered nothing' : 'is done'
}

/** The key depends on the items only: a run that dies after this notice does not repeat it. */
const noticeOfGivenUp = ({ flow, givenUp }: FlowOutcome): RunNotice => {
  const hash = createHash('sha256').update(JSON.stringify(givenUp.map(({ id }) => id)))
  const [first] = givenUp
  const items = givenUp.length === 1 ? `"${first?.title ?? first?.id}"` : `${givenUp.length} items`
  return {
    key: `given-up/${flow}/${hash.digest('hex').slice(0, 32)}`,
    kind: 'error',
    title: flow,
    message: `${flow} gave up ${items}: ${first?.error?.message ?? 'unknown error'}. Try again with: steward flows retry ${flow}`,
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
