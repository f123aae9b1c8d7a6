import type { SubagentRun } from '@steward/contract'
import { expect, it } from 'vitest'
import { layOutWaterfall } from './waterfall.ts'

const run = (id: string, startedAt: string, stoppedAt?: string): SubagentRun => ({
  subagent_id: id,
  subagent_type: 'Engineer',
  description: id,
  session_id: 's',
  status: stoppedAt === undefined ? 'running' : 'stopped',
  startedAt,
  ...(stoppedAt === undefined ? {} : { stoppedAt }),
})
const NOW = Date.parse('2026-11-15T10:10:00Z')

it('lays runs on one axis from the first start to now', () => {
  const laid = layOutWaterfall(
    [run('b', '2026-11-15T10:05:00Z'), run('a', '2026-11-15T10:00:00Z', '2026-11-15T10:05:00Z')],
    NOW,
  )
  expect(
    laid?.bars.map(({ run: { subagent_id }, from, width }) => [subagent_id, from, width]),
  ).toEqual([
    ['a', 0, 0.5],
    ['b', 0.5, 0.5],
  ])
})

it('draws a run that stopped before it began as a point, and skips rows without a time', () => {
  const laid = layOutWaterfall(
    [run('odd', '2026-11-15T10:00:00Z', '2026-11-15T09:00:00Z'), run('none', 'yesterday')],
    NOW,
  )
  expect(laid?.bars.map(({ run: { subagent_id } }) => subagent_id)).toEqual(['odd'])
  expect(laid?.bars[0]?.width).toBeGreaterThan(0)
})

it.each([
  ['2026-11-15T10:00:00Z', '2026-11-15T10:10:00Z'],
  ['2026-11-15T08:41:13Z', '2026-11-15T10:17:02Z'],
  ['2026-10-01T00:00:00Z', '2026-11-15T10:17:02Z'],
  ['2026-11-15T10:00:00.000Z', '2026-11-15T10:00:00.001Z'],
])('has a few round moments between %s and %s on its axis', (from, to) => {
  const ticks = layOutWaterfall([run('a', from, to)], NOW)?.ticks ?? []
  expect(ticks.length).toBeLessThanOrEqual(5)
  for (const { atMs, at } of ticks) {
    expect(atMs % 60_000).toBe(0)
    expect(at).toBeGreaterThan(0)
    expect(at).toBeLessThan(1)
  }
  if (Date.parse(to) - Date.parse(from) > 60_000) expect(ticks.length).toBeGreaterThan(1)
})

it('is empty without runs', () => expect(layOutWaterfall([], NOW)).toBeUndefined())
