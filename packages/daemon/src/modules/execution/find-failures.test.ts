import type { RunRecord, RunStatus } from '@steward/contract'
import type { RunFilter } from '@steward/runner'
import { expect, it } from 'vitest'
import { findFailures } from './find-failures.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 7, 12, minute)).toISOString()
const runOf = (minute: number, name: string, status: RunStatus, repeats?: string): RunRecord => ({
  id: `run-${String(minute).padStart(4, '0')}`,
  primitive: 'pipeline',
  name,
  status,
  definition: { version: '1.0.0', hash: 'h' },
  parentId: null,
  rerunOf: repeats === undefined ? null : { id: repeats, fromStep: 1 },
  idempotencyKey: null,
  startedAt: at(minute),
  endedAt: null,
  durationMs: null,
  stepCount: 1,
  spend: { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] },
  error: null,
})
const historyOf = (runs: readonly RunRecord[]) => ({
  list: ({ before = '~', limit = 50, name, status }: RunFilter = {}) =>
    runs
      .toReversed()
      .filter(({ id }) => id < before)
      .filter((run) => (name ?? run.name) === run.name && (status ?? run.status) === run.status)
      .slice(0, limit),
})

it('lists what failed and did not succeed since, once, with the number of failures', () => {
  const history = historyOf([
    runOf(1, 'P_OLD', 'failed'),
    runOf(10, 'P_TIDES', 'completed'),
    runOf(11, 'P_TIDES', 'failed'),
    runOf(12, 'P_TIDES', 'failed'),
    runOf(13, 'P_WELL', 'failed'),
    runOf(14, 'P_WELL', 'completed'),
    runOf(15, 'P_CUT', 'interrupted'),
    runOf(16, 'P_STOPPED', 'cancelled'),
  ])
  expect(findFailures(history, Date.parse(at(5)))).toMatchObject([
    { run: { name: 'P_CUT' }, count: 1 },
    { run: { name: 'P_TIDES', startedAt: at(12) }, count: 2, since: at(11) },
  ])
})

it('leaves out a run that is repeated, until its repetition fails as well', () => {
  const first = runOf(20, 'P_TIDES', 'failed')
  const running = runOf(21, 'P_TIDES', 'running', first.id)
  expect(findFailures(historyOf([first, running]), 0)).toEqual([])
  const failed = runOf(21, 'P_TIDES', 'failed', first.id)
  expect(findFailures(historyOf([first, failed]), 0)).toMatchObject([{ run: { id: failed.id } }])
})

it('reads more runs than one page has', () => {
  const many = Array.from({ length: 450 }, (_, minute) => runOf(minute, `P_${minute}`, 'failed'))
  expect(findFailures(historyOf(many), 0)).toHaveLength(450)
})

it('finds a failure before thousands of successful runs of another name', () => {
  const others = Array.from({ length: 3000 }, (_, minute) =>
    runOf(minute + 10, 'P_OFTEN', 'completed'),
  )
  expect(findFailures(historyOf([runOf(1, 'P_TIDES', 'failed'), ...others]), 0)).toMatchObject([
    { run: { name: 'P_TIDES' }, count: 1 },
  ])
})
