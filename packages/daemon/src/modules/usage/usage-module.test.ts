import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, type UsageBudget, usageReport } from '@steward/contract'
import { createRedactor, readHalts, resolveHome, startSystemTimer } from '@steward/platform'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createUsageModule } from './usage-module.ts'

let root: string
let budgets: UsageBudget[] = []
const sent: string[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-usage-module-'))
  mkdirSync(join(root, 'home/state'), { recursive: true })
  mkdirSync(join(root, 'home/MEMORY/STATE'), { recursive: true })
  budgets = []
  mkdirSync(join(root, '.claude/projects/shop'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const append = (id: string) => {
  const message = { id, model: 'claude-opus-5-5', usage: { input_tokens: 10, output_tokens: 20 } }
  const row = { type: 'assistant', sessionId: 's1', timestamp: new Date().toISOString(), message }
  appendFileSync(join(root, '.claude/projects/shop/s1.jsonl'), `${JSON.stringify(row)}\n`)
}
const open = () =>
  createUsageModule({
    home: resolveHome({ STEWARD_HOME: join(root, 'home') }, root),
    log,
    bus: createBus(log),
    now: Date.now,
    settings: () => ({ usage: { budgets } }),
    redactor: () => createRedactor({}),
    notices: {
      send: async ({ message }) => {
        sent.push(message)
        return { stored: true }
      },
    },
    setTimer: startSystemTimer,
    place: { env: {}, homedir: root },
  })
const ask = async (module: ReturnType<typeof open>) => {
  const [handler] = module.handlers
  const query = API.getUsage.query.parse({})
  const call = { signal: new AbortController().signal, header: () => undefined }
  return usageReport.parse(await handler?.answer({ params: {}, query, body: undefined }, call))
}

test('imports the history at the start, and answers with every row that is on disk', async () => {
  append('1')
  const module = open()
  await module.start?.()
  await vi.waitFor(async () => expect((await ask(module)).import).toBeNull())
  expect((await ask(module)).total).toMatchObject({ output_tokens: 20, sessions: 1 })
  append('2')
  expect((await ask(module)).total.output_tokens).toBe(40)
  expect(module.health()).toMatchObject({ status: 'ok' })
  await module.stop?.()
  append('3')
  const again = open()
  await again.start?.()
  await vi.waitFor(async () => expect((await ask(again)).total.output_tokens).toBe(60))
  await again.stop?.()
})

test('warns of a budget, and stops sessions through the guard until it is raised', async () => {
  const budget = { usd: 0.0005, per: 'session' as const, stop: true }
  budgets = [budget]
  const module = open()
  await module.start?.()
  append('1')
  const home = resolveHome({ STEWARD_HOME: join(root, 'home') }, root)
  await vi.waitFor(async () => expect((await ask(module)).budgets[0]?.state).toBe('warn'))
  await vi.waitFor(() => expect(sent.at(-1)).toContain('(88 %) is spent in session s1.'))
  expect(await readHalts(home)).toMatchObject({ value: [] })
  append('2')
  await vi.waitFor(async () =>
    expect(await readHalts(home)).toMatchObject({ value: [{ session_id: 's1' }] }),
  )
  expect(sent.at(-1)).toContain('Its tool calls are refused.')
  budgets = [{ ...budget, usd: 10 }]
  append('3')
  await vi.waitFor(async () => expect(await readHalts(home)).toMatchObject({ value: [] }))
  await module.stop?.()
})
