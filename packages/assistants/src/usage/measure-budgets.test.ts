import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UsageBudget, UsageOrigin } from '@steward/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { measureBudget } from './measure-budgets.ts'
import { openUsageLedger, type UsageLedger } from './usage-ledger.ts'
import type { UsageCall } from './usage-reader.ts'

/** A Tuesday, in the time zone of the machine. */
const NOW = new Date(2026, 10, 17, 12).getTime()
const HOUR_MS = 3_600_000
const tokens = { input: 0, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

let root: string
let ledger: UsageLedger
let ids = 0
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-budgets-'))
  ledger = openUsageLedger(join(root, 'usage.sqlite'))
})
afterEach(async () => {
  await ledger.close()
  rmSync(root, { recursive: true, force: true })
})

const spend = (
  session: string,
  costUsd: number,
  { assistant = 'claude', ...rest }: Partial<UsageCall> & { assistant?: UsageOrigin } = {},
): void => {
  const call = { id: String(ids++), session, model: 'm', atMs: NOW, tokens, costUsd, ...rest }
  const mark = { offset: 0, memory: {} }
  ledger.add([{ assistant, path: 'f', stamp: '', batch: { calls: [call], totals: [], mark } }])
}
const measure = (budget: Partial<UsageBudget>) =>
  measureBudget(ledger, { usd: 1, per: 'day', stop: false, ...budget }, NOW)
const stateOf = (budget: Partial<UsageBudget>) =>
  measure(budget).states.map(({ spent_usd, state }) => [Number(spent_usd.toFixed(3)), state])

test('warns at 80 % and is over at 100 % of a day', () => {
  spend('s1', 5, { atMs: NOW - 24 * HOUR_MS })
  spend('s1', 0.79)
  expect(stateOf({})).toEqual([[0.79, 'ok']])
  spend('s2', 0.01)
  expect(stateOf({})).toEqual([[0.8, 'warn']])
  spend('s2', 0.2)
  expect(stateOf({})).toEqual([[1, 'over']])
  expect(stateOf({ per: 'week' })).toEqual([[6, 'over']])
})

test('counts one project, assistant or flow', () => {
  spend('s1', 0.1, { project: '/work/shop' })
  spend('s1', 0.2, { project: '/work/shop/web' })
  spend('s2', 0.4, { project: '/work/shop2', assistant: 'codex' })
  spend('r1', 0.8, { assistant: 'runs', flow: 'F_NEWS' })
  expect(stateOf({ project: '/work/shop' })).toEqual([[0.3, 'ok']])
  expect(stateOf({ project: '/work/shop/' })).toEqual([[0.3, 'ok']])
  expect(stateOf({ project: 'shop' })).toEqual([[0.7, 'ok']])
  expect(stateOf({ assistant: 'codex' })).toEqual([[0.4, 'ok']])
  expect(stateOf({ flow: 'F_NEWS' })).toEqual([[0.8, 'warn']])
})

test('lists each session that is close to a budget per session, but no old ones', () => {
  spend('old', 9, { atMs: NOW - 48 * HOUR_MS })
  spend('s1', 0.5)
  expect(measure({ per: 'session' }).states).toMatchObject([{ session: 's1', state: 'ok' }])
  spend('s2', 0.9)
  // All of its cost counts, also that of earlier days.
  spend('s3', 1, { atMs: NOW - 48 * HOUR_MS })
  spend('s3', 0.5)
  const { states, spenders } = measure({ per: 'session' })
  expect(states).toMatchObject([
    { session: 's3', spent_usd: 1.5, state: 'over' },
    { session: 's2', spent_usd: 0.9, state: 'warn' },
  ])
  expect(spenders.map(({ session }) => session)).toEqual(['s3'])
})

test('names the sessions of assistants that spend from a budget that is over', () => {
  spend('s1', 0.9)
  expect(measure({}).spenders).toEqual([])
  spend('s2', 0.1, { assistant: 'gemini' })
  spend('r1', 0.1, { assistant: 'runs' })
  expect(measure({}).spenders.map(({ session }) => session)).toEqual(['s1', 's2'])
})

test('describes a session by model and agent, with the cost after another hour', () => {
  const minutes = (count: number) => ({ atMs: NOW - count * 60_000 })
  spend('s1', 0.3, minutes(30))
  spend('s1', 0.1, { ...minutes(1), subagent: 'a1', model: 'small' })
  spend('s1', 0.1, { model: 'small', subagent: 'a1' })
  const found = ledger.session('s1', NOW)
  expect(found?.total.cost_usd).toBeCloseTo(0.5)
  // 0.50 in 30 minutes is 1.00 in an hour.
  expect(found?.projected_usd).toBeCloseTo(1.5)
  expect(found?.parts).toMatchObject([
    { model: 'm', subagent: null, calls: 1, source: 'record', reported_usd: 0.3 },
    { model: 'small', subagent: 'a1', calls: 2, source: 'record', reported_usd: 0.2 },
  ])
  expect(ledger.session('s1', NOW + HOUR_MS)).not.toHaveProperty('projected_usd')
  expect(ledger.session('unknown', NOW)).toBeNull()
})
