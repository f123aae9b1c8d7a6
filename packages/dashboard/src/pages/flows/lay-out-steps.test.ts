import type { StepRecord } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { layOutSteps } from './lay-out-steps.ts'

const START = Date.parse('2026-11-15T10:00:00Z')
const at = (ms: number) => new Date(START + ms).toISOString()
const step = (number: number, fromMs: number, toMs: number | null): StepRecord => ({
  step: number,
  action: 'A_DO_IT',
  status: toMs === null ? 'running' : 'completed',
  attempts: 1,
  startedAt: at(fromMs),
  endedAt: toMs === null ? null : at(toMs),
  durationMs: toMs === null ? null : toMs - fromMs,
  spend: { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] },
  isolation: null,
  error: null,
})

it('lays steps on the time of their run, with round moments', () => {
  const run = {
    status: 'completed' as const,
    startedAt: at(0),
    endedAt: at(4000),
    steps: [step(1, 0, 1000), step(2, 1000, 4000)],
  }
  const laid = layOutSteps({ ...run, rerunOf: null }, START + 9000)
  expect(laid.bars.map(({ from, width }) => [from, width])).toEqual([
    [0, 0.25],
    [0.25, 0.75],
  ])
  expect(laid.ticks).toEqual([0, 1000, 2000, 3000, 4000])
})

it('names so few moments that they do not run into each other', () => {
  const lengths = fc.integer({ min: 2, max: 100_000_000 })
  fc.assert(
    fc.property(lengths, (lengthMs) => {
      const run = { status: 'completed' as const, startedAt: at(0), endedAt: at(lengthMs) }
      const { ticks } = layOutSteps({ ...run, steps: [], rerunOf: null }, START)
      expect(ticks.length).toBeGreaterThanOrEqual(2)
      expect(ticks.length).toBeLessThanOrEqual(5)
      expect(ticks.at(-1)).toBeLessThanOrEqual(lengthMs)
    }),
  )
})

it('extends a running step to now', () => {
  const run = {
    status: 'running' as const,
    startedAt: at(0),
    endedAt: null,
    steps: [step(1, 0, null)],
    rerunOf: null,
  }
  expect(layOutSteps(run, START + 2000).bars[0]).toMatchObject({ width: 1, durationMs: 2000 })
})

it('reaches as far as the steps do when the page’s clock is behind', () => {
  const run = {
    status: 'running' as const,
    startedAt: at(0),
    endedAt: null,
    steps: [step(1, 0, 900)],
    rerunOf: null,
  }
  expect(layOutSteps(run, START + 100)).toMatchObject({ lengthMs: 900, bars: [{ width: 1 }] })
})

it('keeps reused steps on the axis, however old they are', () => {
  const steps = [step(1, -90_000, -89_000), step(2, 0, 1000)]
  const run = {
    status: 'completed' as const,
    startedAt: at(0),
    endedAt: at(1000),
    steps,
    rerunOf: { fromStep: 2 },
  }
  expect(layOutSteps(run, START).bars).toMatchObject([
    { from: 0, isInherited: true },
    { from: 0, width: 1, isInherited: false },
  ])
})

it('shows no duration for a step whose process died', () => {
  const steps = [step(1, 0, 500), { ...step(2, 500, null), status: 'interrupted' as const }]
  const run = { status: 'interrupted' as const, startedAt: at(0), endedAt: null, steps }
  const laid = layOutSteps({ ...run, rerunOf: null }, START + 90_000)
  expect(laid.lengthMs).toBe(500)
  expect(laid.bars[1]?.durationMs).toBeUndefined()
})
