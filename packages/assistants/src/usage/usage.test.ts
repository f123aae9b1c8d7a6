import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { usageQuery } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findRecords } from './find-records.ts'
import { changedRecords, importUsage } from './import-usage.ts'
import { openUsageLedger, type UsageLedger } from './usage-ledger.ts'

let homedir: string
let ledger: UsageLedger
beforeEach(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-usage-'))
  ledger = openUsageLedger(join(homedir, 'usage.sqlite'))
})
afterEach(async () => {
  await ledger.close()
  rmSync(homedir, { recursive: true, force: true })
})

const update = async (env: Record<string, string> = {}) => {
  const { records, problems } = await findRecords({ env, homedir })
  return [...problems, ...(await importUsage(changedRecords(records, ledger), { ledger }))]
}
const sums = (query: Record<string, string> = {}) =>
  ledger.report(usageQuery.parse(query), Date.parse('2026-11-10T10:05:00Z'))
const total = async () => {
  expect(await update()).toEqual([])
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = sums().total
  return [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens]
}
const write = (path: string, rows: readonly unknown[]) => {
  const file = join(homedir, path)
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return file
}

const SESSION = '.claude/projects/-work-shop/s1.jsonl'
const claudeRow = (id: string, usage: object = {}, more: object = {}) => ({
  type: 'assistant',
  sessionId: 's1',
  requestId: `req_${id}`,
  timestamp: '2026-11-10T10:00:00.000Z',
  cwd: '/work/shop',
  gitBranch: 'main',
  ...more,
  message: {
    id: `msg_${id}`,
    model: 'claude-opus-5-5',
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      output_tokens: 20,
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
      ...usage,
    },
  },
})
const claudeTotals = (calls: number, session = 's1') => ({
  type: 'cost-state',
  sessionId: session,
  totalCostUSD: 1,
  modelUsage: {
    'claude-opus-5-5': {
      inputTokens: 10 * calls,
      outputTokens: 20 * calls,
      cacheReadInputTokens: 1000 * calls,
      cacheCreationInputTokens: 100 * calls,
    },
  },
})

describe('Claude Code', () => {
  it('counts a message of several rows once, with the price of each kind of token', async () => {
    write(SESSION, [
      { type: 'user' },
      claudeRow('1'),
      claudeRow('1'),
      claudeRow('1'),
      claudeRow('2'),
    ])
    expect(await total()).toEqual([20, 40, 2000, 200])
    const perCall = (10 * 4 + 20 * 20 + 1000 * 0.2 + 60 * 5 + 40 * 8) / 1_000_000
    expect(sums().total).toMatchObject({ calls: 2, sessions: 1, reported_usd: 0 })
    expect(sums().total.cost_usd).toBeCloseTo(2 * perCall, 9)
    // What Claude Code 2.1.325 itself reports for eight such calls.
    expect(8 * perCall).toBeCloseTo(0.01008, 9)
  })

  it('counts a row that is written while its answer arrives with its final tokens', async () => {
    write(SESSION, [claudeRow('1', { output_tokens: 1 })])
    expect(await total()).toEqual([10, 1, 1000, 100])
    write(SESSION, [claudeRow('1', { output_tokens: 20 })])
    expect(await total()).toEqual([10, 20, 1000, 100])
  })

  it('counts copied rows of a fork for the session they come from, in any order', async () => {
    const copy = claudeRow('1', { output_tokens: 0 }, { sessionId: 's2' })
    const fork = [
      copy,
      claudeTotals(1, 's2'),
      claudeRow('2', {}, { sessionId: 's2' }),
      claudeTotals(2, 's2'),
    ]
    write('.claude/projects/-work-shop/s2.jsonl', fork)
    expect((await total())[1]).toBe(20)
    write(SESSION, [claudeRow('1'), claudeTotals(1)])
    expect(await total()).toEqual([20, 40, 2000, 200])
    expect(sums({ by: 'session' }).rows.map(({ key, calls }) => [key, calls])).toEqual([
      ['s1', 1],
      ['s2', 1],
    ])
  })

  it('counts requests without a row from the totals, and subagents not twice', async () => {
    const agent = claudeRow('2', {}, { isSidechain: true, agentId: 'a1' })
    write('.claude/projects/-work-shop/s1/subagents/agent-a1.jsonl', [agent])
    // One request of the session, one of its agent, and one that summarised it.
    write(SESSION, [claudeRow('1'), claudeTotals(3)])
    expect(await total()).toEqual([30, 60, 3000, 300])
    // The session goes on in the same file after a restart.
    write(SESSION, [claudeRow('3'), claudeTotals(4)])
    expect(await total()).toEqual([40, 80, 4000, 400])
    expect(sums().total.sessions).toBe(1)
  })

  it('leaves out messages that no model wrote, and rows that are torn or not JSON', async () => {
    const file = write(SESSION, [claudeRow('1')])
    const synthetic = claudeRow('9')
    write(SESSION, [{ ...synthetic, message: { ...synthetic.message, model: '<synthetic>' } }])
    const line = JSON.stringify(claudeRow('2'))
    appendFileSync(file, `{"usage": torn\n${line.slice(0, 80)}`)
    expect((await total())[1]).toBe(20)
    appendFileSync(file, `${line.slice(80)}\n`)
    expect((await total())[1]).toBe(40)
  })

  it('reads a file that was rewritten from its start, and keeps what a deleted one contained', async () => {
    const file = write(SESSION, [claudeRow('1'), claudeRow('2')])
    await total()
    truncateSync(file)
    write(SESSION, [claudeRow('3')])
    expect((await total())[1]).toBe(60)
    rmSync(file)
    expect((await total())[1]).toBe(60)
  })

  it('is found in another folder', async () => {
    write(SESSION.replace('.claude', 'other'), [claudeRow('1')])
    await update({ CLAUDE_CONFIG_DIR: join(homedir, 'other') })
    expect(sums().total.calls).toBe(1)
  })
})

describe('Codex', () => {
  const usage = {
    input_tokens: 10,
    cached_input_tokens: 4,
    cache_write_input_tokens: 0,
    output_tokens: 20,
    reasoning_output_tokens: 5,
    total_tokens: 30,
  }
  const record = (id: string, thread = 't1') => ({
    timestamp: '2026-11-10T10:00:00.000Z',
    type: 'token_usage_record',
    payload: { thread_id: thread, session_id: 't1', response_id: id, usage },
  })
  const count = {
    type: 'event_msg',
    payload: { type: 'token_count', info: { last_token_usage: usage } },
  }

  it('counts each response once, with the model of its turn, and its subagents and reviews', async () => {
    const folder = '.codex/sessions/2026/11/10'
    write(`${folder}/rollout-1-t1.jsonl`, [
      { type: 'session_meta', payload: { id: 't1', cwd: '/work/shop', git: { branch: 'main' } } },
      { type: 'turn_context', payload: { model: 'gpt-6-sol', cwd: '/work/shop' } },
      record('resp_1'),
      count,
      count,
      record('resp_2'),
      record('resp_2'),
    ])
    write(`${folder}/rollout-2-t2.jsonl`, [
      { type: 'session_meta', payload: { id: 't2', thread_source: 'guardian_review' } },
      { type: 'turn_context', payload: { model: 'gpt-6-luna' } },
      record('resp_3', 't2'),
    ])
    expect(await total()).toEqual([18, 60, 12, 0])
    expect(sums().total).toMatchObject({ calls: 3, sessions: 1 })
    expect(sums({ by: 'model' }).rows.map(({ key, calls }) => [key, calls])).toEqual([
      ['gpt-6-sol', 2],
      ['gpt-6-luna', 1],
    ])
    expect(sums({ by: 'project', project: 'shop' }).rows.map(({ key }) => key)).toEqual([
      '/work/shop',
    ])
  })
})

describe('Codex before token_usage_record', () => {
  const count = (id: number, output: number, used = 10) => ({
    timestamp: `2026-11-10T10:0${id}:00.000Z`,
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: {
        total_token_usage: {
          input_tokens: output,
          cached_input_tokens: 0,
          output_tokens: output,
          total_tokens: output * 2,
        },
      },
      rate_limits: { primary: { used_percent: used, window_minutes: 300, resets_in_seconds: 600 } },
    },
  })

  it('counts how far the total of the thread grew, and knows its limits and title', async () => {
    const path = '.codex/sessions/2026/11/10/rollout-1-t9.jsonl'
    write(path, [
      { type: 'session_meta', payload: { id: 't9', cwd: '/work/shop' } },
      { type: 'turn_context', payload: { model: 'gpt-6-sol' } },
      { type: 'event_msg', payload: { type: 'user_message', message: 'Repair the till\nnow' } },
      count(1, 20),
      count(2, 20),
      count(3, 50),
    ])
    expect((await total())[1]).toBe(50)
    write(path, [count(4, 50), count(5, 60, 42)])
    expect((await total())[1]).toBe(60)
    expect(sums({ by: 'session' }).rows).toMatchObject([
      { key: 't9', title: 'Repair the till', calls: 3, projected_usd: expect.any(Number) },
    ])
    expect(ledger.windows(Date.parse('2026-11-10T10:06:00Z'))[0]).toMatchObject({
      assistant: 'codex',
      kind: 'five_hours',
      used_percent: 42,
      basis: 'vendor',
      resets_at: '2026-11-10T10:15:00.000Z',
    })
  })
})

it('derives windows from the calls, and compares them with the largest earlier one', async () => {
  const at = (timestamp: string) => ({ timestamp })
  write(SESSION, [
    claudeRow('1', {}, at('2026-11-09T08:30:00Z')),
    claudeRow('2', {}, at('2026-11-09T12:59:00Z')),
    claudeRow('3', {}, at('2026-11-10T09:10:00Z')),
  ])
  await update()
  expect(ledger.windows(Date.parse('2026-11-10T10:05:00Z'))).toMatchObject([
    { kind: 'five_hours', started_at: '2026-11-10T09:00:00.000Z', used_percent: 50, tokens: 1130 },
    { kind: 'week', started_at: '2026-11-09T08:00:00.000Z', used_percent: null, tokens: 3390 },
  ])
  expect(ledger.windows(Date.parse('2026-11-10T14:05:00Z'))).toMatchObject([{ kind: 'week' }])
})

it('compares tokens if a call of the window has no price: no cost is not no use', async () => {
  const unpriced = claudeRow('2', {}, { timestamp: '2026-11-10T09:10:00Z' })
  const calls = [
    claudeRow('1', {}, { timestamp: '2026-11-09T08:30:00Z' }),
    { ...unpriced, message: { ...unpriced.message, model: 'my-own' } },
  ]
  write(SESSION, calls)
  await update()
  const nowMs = Date.parse('2026-11-10T10:05:00Z')
  expect(ledger.windows(nowMs)[0]).toMatchObject({ known_usd: 0, used_percent: 100, tokens: 1130 })
  expect(ledger.sumSince({ sinceMs: nowMs - 3_600_000 })).toMatchObject([
    { session: 's1', usd: 0, isPartial: true },
  ])
})

describe('Gemini CLI', () => {
  it('counts a message that is written twice once, with thoughts and without the cache', async () => {
    const tokens = { input: 10, output: 20, cached: 4, thoughts: 5, tool: 0, total: 35 }
    const row = {
      id: 'm1',
      type: 'gemini',
      model: 'gemini-2.5-pro',
      timestamp: '2026-11-10T10:00:00Z',
      tokens,
    }
    write('.gemini/tmp/shop/chats/session-1.jsonl', [row, { $set: { tokens } }, row])
    write('.gemini/tmp/shop/chats/session-1/sub.jsonl', [{ ...row, id: 'm2' }])
    expect(await total()).toEqual([12, 50, 8, 0])
    expect(sums()).toMatchObject({
      total: { cost_usd: null, unpriced_calls: 2, sessions: 1 },
      unpriced_models: ['gemini-2.5-pro'],
    })
  })

  it('names a session by the id in its first row, as hooks and telemetry do', async () => {
    const id = 'b16d0f83-a59a-471a-a3c2-dca4693d6b36'
    const tokens = { input: 1106, output: 18, cached: 1003, thoughts: 5, tool: 0, total: 1129 }
    const timestamp = '2026-11-17T05:03:38.730Z'
    const row = { id: 'm1', timestamp, type: 'gemini', model: 'gemini-2.5-pro', tokens }
    const head = { sessionId: id, projectHash: '2dde', startTime: timestamp, kind: 'main' }
    write('.gemini/tmp/shop/chats/session-2026-11-17T05-03-b16d0f83.jsonl', [head, row])
    await update()
    write(`.gemini/tmp/shop/chats/${id}/k3.jsonl`, [
      { ...head, sessionId: 'k3', kind: 'subagent' },
      { ...row, id: 'm2' },
    ])
    await update()
    const query = usageQuery.parse({ by: 'session' })
    expect(ledger.report(query, Date.now()).rows).toMatchObject([{ key: id, calls: 2 }])
  })
})

describe('OpenCode', () => {
  const data = (tokens: object, cost: number) =>
    JSON.stringify({
      role: 'assistant',
      modelID: 'm',
      cost,
      tokens,
      time: { created: Date.parse('2026-11-10T10:00:00Z') },
    })

  it('reads its database while it is being written, with the cost that it reports', async () => {
    const path = join(homedir, '.local/share/opencode/opencode.db')
    mkdirSync(dirname(path), { recursive: true })
    const database = new DatabaseSync(path)
    database.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT);
      CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
        time_updated INTEGER, data TEXT);
      INSERT INTO session VALUES ('s1', NULL, '/work/shop', 'Repair the till'), ('s2', 's1', '/work/shop', 'sub');`)
    const insert = database.prepare('INSERT OR REPLACE INTO message VALUES (?, ?, 1, ?, ?)')
    const tokens = { total: 30, input: 6, output: 15, reasoning: 5, cache: { write: 0, read: 4 } }
    insert.run('m1', 's1', 1, data({ ...tokens, output: 0, reasoning: 0 }, 0))
    insert.run('m2', 's2', 1, data(tokens, 0.5))
    insert.run('u1', 's1', 1, JSON.stringify({ role: 'user' }))
    expect((await total())[1]).toBe(20)
    insert.run('m1', 's1', 2, data(tokens, 0.25))
    expect(await total()).toEqual([12, 40, 8, 0])
    expect(sums().total).toMatchObject({ cost_usd: 0.75, reported_usd: 0.75, sessions: 1 })
    database.close()
  })
})

it('groups by time and names assistants, and reports a file that it cannot read', async () => {
  write(SESSION, [claudeRow('1'), claudeRow('2', {}, { timestamp: '2026-11-12T12:00:00.000Z' })])
  await update()
  expect(sums({ by: 'day' }).rows.map(({ key }) => key)).toEqual(['2026-11-10', '2026-11-12'])
  expect(sums({ by: 'week' }).rows.map(({ key }) => key)).toEqual(['2026-11-09'])
  expect(sums({ by: 'month' }).rows.map(({ key, calls }) => [key, calls])).toEqual([['2026-11', 2]])
  expect(sums({ by: 'assistant', since: '2026-11-11' }).rows).toMatchObject([
    { key: 'claude', calls: 1 },
  ])
  mkdirSync(join(homedir, '.local/share/opencode'), { recursive: true })
  writeFileSync(join(homedir, '.local/share/opencode/opencode.db'), 'this is no database')
  expect(await update()).toEqual([expect.stringContaining('opencode.db')])
  expect(sums().total.calls).toBe(2)
})
