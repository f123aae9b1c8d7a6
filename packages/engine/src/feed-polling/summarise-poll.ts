import type { FlowRunSummary } from '@steward/contract'
import { NO_SPEND } from '../flow/spend.ts'
import { ERRORS_SHOWN } from '../flow/summary.ts'
import type { PollSummary } from './poll-summary.ts'

/** A poll of feeds as the run of a flow: the enqueued items count as delivered. */
export const summarisePoll = (
  poll: PollSummary,
  run: { runId: string; startedAt: number; endedAt: number },
): FlowRunSummary => {
  const { found, enqueued } = poll.items
  const failed = Object.values(poll.failed).reduce((sum, count) => sum + count, 0)
  const troubled = failed + poll.problems.length
  const errors = [
    ...poll.problems.map(({ url, message }) => ({
      item: url,
      code: 'storage_failed',
      message,
      retryable: true,
    })),
    ...poll.errors.map(({ url, class: className, message }) => ({
      item: url,
      code: 'upstream_failed',
      message: `${className}: ${message}`,
      retryable: true,
    })),
  ]
  return {
    runId: run.runId,
    startedAt: new Date(run.startedAt).toISOString(),
    endedAt: new Date(run.endedAt).toISOString(),
    durationMs: Math.max(0, run.endedAt - run.startedAt),
    outcome: outcomeOf(enqueued, troubled, poll),
    reason: reasonFor(poll, failed),
    items: {
      found,
      alreadySeen: found - enqueued,
      delivered: enqueued,
      rejected: 0,
      failed: troubled,
      waiting: 0,
      givenUp: 0,
      postponed: poll.postponed,
    },
    blocked: null,
    errors: errors.slice(0, ERRORS_SHOWN),
    spend: NO_SPEND,
  }
}

const outcomeOf = (
  enqueued: number,
  troubled: number,
  { checked, problems }: PollSummary,
): FlowRunSummary['outcome'] => {
  if (enqueued > 0) return troubled === 0 ? 'delivered' : 'partial'
  // Some feeds are always down; the poll itself only failed if no feed could be read.
  const allFailed = troubled > 0 && troubled >= checked
  return allFailed || problems.length > 0 ? 'failed' : 'nothing-new'
}

const reasonFor = (poll: PollSummary, failed: number): string => {
  if (poll.feeds === 0) return 'there are no feeds to poll'
  const parts = [
    `${poll.items.enqueued} items enqueued from ${poll.checked} feeds`,
    poll.unmodified > 0 && `${poll.unmodified} unmodified`,
    poll.waiting > 0 && `${poll.waiting} not due yet`,
    failed > 0 && `${failed} failed`,
    poll.open > 0 && `${poll.open} skipped after too many errors`,
    poll.problems.length > 0 && `${poll.problems.length} not recorded`,
    poll.postponed > 0 && `${poll.postponed} left for the next poll`,
  ].filter(Boolean)
  const first = poll.problems[0] ?? poll.errors[0]
  return first === undefined
    ? parts.join(', ')
    : `${parts.join(', ')}; first error: ${first.url}: ${first.message}`
}
