import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { API, OBSERVER_VERDICTS_FILE, type ObserverVerdict, type Route } from '@steward/contract'
import {
  createRedactor,
  ensureHome,
  type Home,
  haltsPath,
  readHalts,
  resolveHome,
  writeHalt,
} from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createObserversModule } from './observers-module.ts'

let home: Home
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-observers-module-')) })
  await ensureHome(home)
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

const createParts = () => {
  const errors: string[] = []
  const log = { info: () => undefined, warn: () => undefined, error: (m: string) => errors.push(m) }
  const redactor = createRedactor({ KEY: 'a-very-secret-value' })
  const bus = createBus(log)
  const told: unknown[] = []
  bus.subscribe('live.changed', ({ topics }) => told.push(...topics))
  const module = createObserversModule({ home, bus, log, redactor: () => redactor })
  const ask = async (route: Route, body?: unknown): Promise<unknown> => {
    const handler = module.handlers.find((each) => each.route === route)
    const call = { signal: new AbortController().signal, header: () => undefined }
    return handler?.answer({ params: undefined, query: undefined, body }, call)
  }
  const list = async () => API.listObservers.answer.parse(await ask(API.listObservers))
  const lift = (session_id: string) => ask(API.liftObserverHalt, { session_id })
  return { module, errors, told, list, lift }
}

const verdict = (session_id: string, minute: number, given: Partial<ObserverVerdict> = {}) => ({
  timestamp: `2026-11-10T22:${String(minute).padStart(2, '0')}:00.000Z`,
  session_id,
  cycle: minute + 1,
  decision: 'continue',
  escalated: false,
  reason: 'all vote continue',
  votes: [],
  evidence: [],
  rows: 3,
  duration_ms: 1,
  cost: {
    cycle_usd: 0.001,
    total_usd: 0.001 * (minute + 1),
    primary_hours: 0.1,
    per_primary_hour_usd: 0.05,
  },
  ...given,
})

const append = (...rows: unknown[]): void => {
  const file = join(home.root, OBSERVER_VERDICTS_FILE)
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

it('is empty without observers', async () => {
  const { list, module } = createParts()
  expect(await list()).toEqual({ sessions: [], verdicts: [], halts: [] })
  expect(module.health().status).toBe('ok')
})

it('sums up sessions, newest first, without secrets and strange rows', async () => {
  append(
    verdict('a', 0),
    verdict('b', 1, { decision: 'escalate', escalated: true, reason: 'a-very-secret-value' }),
    { rubbish: true },
    verdict('a', 2, { decision: 'halt' }),
  )
  await writeHalt(home, { session_id: 'a', reason: 'too much', at: '2026', by: 'observers' })
  const { list, module } = createParts()
  const { sessions, verdicts, halts } = await list()
  expect(sessions.map(({ session_id, cycles }) => [session_id, cycles])).toEqual([
    ['a', 2],
    ['b', 1],
  ])
  expect(sessions[0]).toMatchObject({ continued: 1, halted: 1, escalated: 0, cost_usd: 0.003 })
  expect(verdicts.map(({ session_id }) => session_id)).toEqual(['a', 'b', 'a'])
  expect(verdicts[1]?.reason).toBe('[redacted:KEY]')
  expect(halts).toEqual([{ session_id: 'a', reason: 'too much', at: '2026', by: 'observers' }])
  expect(module.health()).toMatchObject({ strangeRows: 1 })
})

it('lifts a halt, and reports when there was none', async () => {
  await writeHalt(home, { session_id: 'a', reason: 'too much', at: '2026', by: 'observers' })
  const { lift, told } = createParts()
  expect(await lift('a')).toEqual({ lifted: true })
  expect(told).toEqual(['observers'])
  expect(await lift('a')).toEqual({ lifted: false })
  expect(await readHalts(home)).toEqual({ ok: true, value: [] })
})

it('reports unreadable halts in the answer and in health', async () => {
  writeFileSync(haltsPath(home), '{')
  const { list, module, errors } = createParts()
  await expect(list()).rejects.toThrow(/observer-halts/)
  await expect(list()).rejects.toThrow()
  expect(module.health().status).toBe('degraded')
  expect(errors).toHaveLength(1)
  rmSync(haltsPath(home))
  await list()
  expect(module.health().status).toBe('ok')
})
