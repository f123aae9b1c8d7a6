import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-usage-'))
  const row = (id: string, day: string, model: string, usage: object) => ({
    type: 'assistant',
    sessionId: 's1',
    requestId: id,
    timestamp: `${day}T12:00:00Z`,
    cwd: '/work/shop',
    message: { id, model, usage },
  })
  const rows = [
    row('1', '2026-10-01', 'claude-opus-5-5', { input_tokens: 1, output_tokens: 1 }),
    row('2', '2026-11-15', 'claude-opus-5-5', { input_tokens: 500_000, output_tokens: 100_000 }),
    row('3', '2026-11-16', 'model-of-tomorrow', { input_tokens: 2_500_000, output_tokens: 10 }),
  ]
  mkdirSync(join(root, '.claude/projects/shop'), { recursive: true })
  writeFileSync(
    join(root, '.claude/projects/shop/s1.jsonl'),
    rows.map((each) => `${JSON.stringify(each)}\n`).join(''),
  )
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const run = (...args: string[]) => runIn('home', ...args)
const runIn = async (home: string, ...args: string[]) => {
  const io = memoryIo({
    args: ['usage', ...args],
    env: { STEWARD_HOME: join(root, home) },
    homedir: root,
    cwd: root,
    now: () => Date.parse('2026-11-16T18:00:00Z'),
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}

test('shows the last days with cost, and never a zero for a price that is unknown', async () => {
  const { code, out } = await run()
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
    'day | input | output | cache read | cache write | sessions | cost',
    '2026-11-15 | 500k | 100k | 0 | 0 | 1 | $4.00',
    '2026-11-16 | 2.5M | 10 | 0 | 0 | 1 | price unknown',
    'total | 3.0M | 100k | 0 | 0 | 1 | at least $4.00',
    'price unknown: model-of-tomorrow',
    '',
  ])
})

test('prints CSV and JSON, also of everything and of one project', async () => {
  const { out: csv } = await run('--by', 'model', '--since', 'all', '--csv')
  expect(csv.split('\n').slice(1)).toEqual([
    '"claude-opus-5-5",500001,100001,0,0,4.000024,1',
    '"model-of-tomorrow",2500000,10,0,0,,1',
    '',
  ])
  const { out } = await run('--by', 'project', '--project', 'shop', '--json')
  expect(JSON.parse(out)).toMatchObject({
    rows: [{ key: '/work/shop', cost_usd: null, computed_usd: 4 }],
    unpriced_models: ['model-of-tomorrow'],
  })
  expect((await run('--project', 'garden')).out).toContain('no usage in this time')
})

test('lists budgets with their share, by day, project, assistant and session', async () => {
  mkdirSync(join(root, 'limited'), { recursive: true })
  const limits = [
    { usd: 10 },
    { usd: 4, per: 'month', project: '/work/shop', stop: true },
    { usd: 4.5, per: 'month', assistant: 'claude' },
    { usd: 4.5, per: 'session' },
    { usd: 0.005, assistant: 'codex' },
  ]
  writeFileSync(join(root, 'limited/settings.json'), JSON.stringify({ usage: { budgets: limits } }))
  const { out } = await runIn('limited')
  const shown = out.slice(out.indexOf('budget')).trimEnd().split('\n')
  expect(shown.map((line) => line.replaceAll(/ {2,}/g, ' | ').trimEnd())).toEqual([
    'budget | spent | share | state',
    'per day | $0.00 of $10.00 | 0 % | ok',
    'per month for /work/shop | $4.00 of $4.00 | 100 % | over, stops sessions',
    'per month for claude | $4.00 of $4.50 | 88 % | warn',
    'per session | $4.00 of $4.50 | 88 % | warn | session s1',
    'per day for codex | $0.00 of $0.0050 | 0 % | ok',
  ])
})

test('shows one session, and projects by folder or a part of the path', async () => {
  const { out } = await run('--by', 'model', '--session', 's1', '--since', 'all', '--csv')
  expect(out.split('\n')).toHaveLength(4)
  expect((await run('--session', 's2')).out).toContain('no usage in this time')
  expect((await run('--project', '/work/shop')).out).toContain('$4.00')
  expect((await run('--project', '/work/sho')).out).toContain('no usage in this time')
  expect((await run('--by', 'subagent')).out).toContain('main agent')
})

test('says how a day is written', async () => {
  const { code, err } = await run('--since', 'yesterday')
  expect(code).toBe(2)
  expect(err).toContain('--since: must be a day such as 2026-11-01, 7d or 4w, found "yesterday"')
})
