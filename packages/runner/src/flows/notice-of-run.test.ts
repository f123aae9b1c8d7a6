import type { FlowRunSummary, RunRecord } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import type { FlowOutcome } from './flow-runner.ts'
import { noticeOfRun } from './notice-of-run.ts'

const settings = {
  notifications: {
    thresholds: { longTaskMinutes: 5, waitingSeconds: 60, waitingReminderMinutes: 10 },
  },
}
const error = { code: 'upstream_failed' as const, message: 'status 503', retryable: true }

const outcomeOf = (given: Partial<FlowRunSummary> = {}) => ({
  runId: 'run-2',
  flow: 'F_NEWS',
  givenUp: [],
  summary: {
    runId: 'run-2',
    startedAt: '2026-11-15T08:00:00.000Z',
    endedAt: '2026-11-15T08:00:01.000Z',
    durationMs: 1000,
    outcome: 'delivered' as const,
    reason: '2 delivered',
    items: {
      found: 2,
      alreadySeen: 0,
      delivered: 2,
      rejected: 0,
      failed: 0,
      waiting: 0,
      givenUp: 0,
      postponed: 0,
    },
    blocked: null,
    errors: [],
    spend: { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] },
    ...given,
  },
})
const failed = {
  outcome: 'failed' as const,
  reason: 'status 503',
  errors: [{ ...error, item: null }],
}

const tell = (outcome: FlowOutcome, history: { list: () => RunRecord[] }, isWatched = false) =>
  noticeOfRun(outcome, { settings, history, isWatched })
const historyOf = (...runs: RunRecord[]) => ({ list: () => runs })
const before = (given: Pick<RunRecord, 'status' | 'error'>): RunRecord => ({
  id: 'run-1',
  primitive: 'flow',
  name: 'F_NEWS',
  definition: { version: '1.0.0', hash: 'x' },
  parentId: null,
  rerunOf: null,
  idempotencyKey: null,
  startedAt: '2026-11-15T07:00:00.000Z',
  endedAt: '2026-11-15T07:00:01.000Z',
  durationMs: 1000,
  stepCount: 1,
  spend: { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] },
  ...given,
})

describe('the notice of a run', () => {
  it('does not exist when the run succeeded quickly', () => {
    expect(tell(outcomeOf(), historyOf())).toBeUndefined()
  })

  it('is an error when the run failed, under the key of the run', () => {
    expect(tell(outcomeOf(failed), historyOf())).toEqual({
      key: 'run/run-2',
      kind: 'error',
      title: 'F_NEWS',
      message: 'F_NEWS failed: status 503',
    })
  })

  it('is a longTask above the threshold, and not at the threshold', () => {
    const long = outcomeOf({ durationMs: 300_001 })
    expect(tell(long, historyOf())).toMatchObject({
      kind: 'longTask',
      message: 'F_NEWS is done after 5 minutes: 2 delivered',
    })
    const atLimit = outcomeOf({ durationMs: 300_000 })
    expect(tell(atLimit, historyOf())).toBeUndefined()
  })

  it('does not exist for a short run that is watched, but for a long one', () => {
    expect(tell(outcomeOf(failed), historyOf(), true)).toBeUndefined()
    const long = outcomeOf({ ...failed, durationMs: 360_000 })
    expect(tell(long, historyOf(), true)).toMatchObject({
      kind: 'error',
      message: 'F_NEWS failed after 6 minutes: status 503',
    })
  })

  it('is not repeated for the same failure as in the previous run; another failure is reported', () => {
    const same = historyOf(before({ status: 'failed', error }))
    expect(tell(outcomeOf(failed), same)).toBeUndefined()
    const other = historyOf(before({ status: 'failed', error: { ...error, message: 'no' } }))
    expect(tell(outcomeOf(failed), other)?.kind).toBe('error')
    const fine = historyOf(before({ status: 'completed', error: null }))
    expect(tell(outcomeOf(failed), fine)?.kind).toBe('error')
  })
})
