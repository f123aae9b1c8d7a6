import type { RunRecord, Spend, StepRecord } from '@steward/contract'
import { expect, it } from 'vitest'
import { spendOfStep, stepsAhead, titleOfStep } from './describe-step.ts'

const spend = (cost: number | null): Spend => ({
  calls: 1,
  inputTokens: 10,
  outputTokens: 5,
  cost,
  models: ['m'],
})
const NONE: Spend = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] }
const AT = '2026-11-15T10:00:00.000Z'
const step = (action: string, more: Partial<StepRecord> = {}): StepRecord => ({
  step: 1,
  action,
  status: 'completed',
  attempts: 1,
  startedAt: AT,
  endedAt: AT,
  durationMs: 0,
  spend: NONE,
  isolation: null,
  error: null,
  ...more,
})
const child = (id: string, cost: number | null): RunRecord => ({
  id,
  primitive: 'pipeline',
  name: 'P_ALL',
  status: 'completed',
  definition: { version: '1.0.0', hash: 'x' },
  parentId: 'flow',
  rerunOf: null,
  idempotencyKey: null,
  startedAt: AT,
  endedAt: AT,
  durationMs: 0,
  stepCount: 1,
  spend: spend(cost),
  error: null,
})

it('calls an item by its title, else by its id', () => {
  expect(titleOfStep(step('A_DO_IT', { input: { title: 'x' } }))).toBe('A_DO_IT')
  expect(titleOfStep(step('item', { input: { title: 'Storm', id: 'a' } }))).toBe('Storm')
  expect(titleOfStep(step('item', { input: { title: null, id: 'a' } }))).toBe('a')
  expect(titleOfStep(step('item'))).toBe('item')
})

it("counts the cost of an item's runs as the cost of its step", () => {
  const children = [child('one', 0.5), child('two', 0.25), child('other', 9)]
  const item = step('item', { output: { runs: ['one', 'two'] } })
  expect(spendOfStep(item, children)).toEqual({
    ...spend(0.75),
    calls: 2,
    inputTokens: 20,
    outputTokens: 10,
  })
  expect(spendOfStep(item, [child('one', null)]).cost).toBeNull()
  expect(spendOfStep(step('source', { output: { runs: 3 } }), children)).toEqual(NONE)
})

it('knows the remaining steps, unless the pipeline changed', () => {
  const running = { status: 'running' as const, steps: [step('A_ONE')] }
  expect(stepsAhead(running, ['A_ONE', 'A_TWO'])).toEqual(['A_TWO'])
  expect(stepsAhead(running, ['A_OTHER', 'A_TWO'])).toEqual([])
  expect(stepsAhead({ ...running, status: 'completed' }, ['A_ONE', 'A_TWO'])).toEqual([])
  expect(stepsAhead(running, undefined)).toEqual([])
})
