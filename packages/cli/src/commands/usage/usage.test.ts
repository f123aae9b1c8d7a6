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

const run = async (...args: string[]) => {
  const io = memoryIo({
    args: ['usage', ...args],
    env: { STEWARD_HOME: join(root, 'home') },
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

test('says how a day is written', async () => {
  const { code, err } = await run('--since', 'yesterday')
  expect(code).toBe(2)
  expect(err).toContain('--since: must be a day such as 2026-11-01, 7d or 4w, found "yesterday"')
})
