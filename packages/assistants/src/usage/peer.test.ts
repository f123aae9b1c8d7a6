import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type UsageOrigin, usageQuery } from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findRecords } from './find-records.ts'
import { changedRecords, importUsage } from './import-usage.ts'
import { askCcusage } from './testing/ask-ccusage.ts'
import { openUsageLedger } from './usage-ledger.ts'

let homedir: string
beforeAll(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-peer-'))
})
afterAll(() => rmSync(homedir, { recursive: true, force: true }))

const write = (path: string, rows: readonly unknown[]) => {
  const file = join(homedir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
const timestamp = '2026-11-10T10:00:00.000Z'

/** A message of two rows, a subagent, and a second session. */
const writeClaude = () => {
  const folder = '.claude/projects/-work-shop'
  write(
    `${folder}/s1.jsonl`,
    [1, 1, 2, 3].map((id) => claudeRow('s1', id)),
  )
  write(
    `${folder}/s1/subagents/agent-a1.jsonl`,
    [4, 4].map((id) => claudeRow('s1', id)),
  )
  write(`${folder}/s2.jsonl`, [claudeRow('s2', 5)])
}
const claudeRow = (session: string, id: number) => ({
  type: 'assistant',
  sessionId: session,
  requestId: `req_${id}`,
  timestamp,
  cwd: '/work/shop',
  version: '2.1.197',
  message: {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'done' }],
    usage: {
      input_tokens: id,
      cache_creation_input_tokens: 100 * id,
      cache_read_input_tokens: 1000 * id,
      output_tokens: 10 + 10 * id,
    },
  },
})

/** Two responses, with counts that repeat. */
const writeCodex = () => {
  const usage = (calls: number) => ({
    input_tokens: 10 * calls,
    cached_input_tokens: 4 * calls,
    cache_write_input_tokens: 0,
    output_tokens: 20 * calls,
    reasoning_output_tokens: 5 * calls,
    total_tokens: 30 * calls,
  })
  const response = (id: string) => ({
    timestamp,
    type: 'token_usage_record',
    payload: { thread_id: 't1', session_id: 't1', response_id: id, usage: usage(1) },
  })
  const count = (calls: number) => {
    const info = { total_token_usage: usage(calls), last_token_usage: usage(1) }
    const at = `2026-11-10T10:0${calls}:00.000Z`
    return { timestamp: at, type: 'event_msg', payload: { type: 'token_count', info } }
  }
  write('.codex/sessions/2026/11/10/rollout-2026-11-10T10-00-00-t1.jsonl', [
    { timestamp, type: 'session_meta', payload: { id: 't1', cwd: '/work/shop' } },
    { timestamp, type: 'turn_context', payload: { model: 'gpt-5', cwd: '/work/shop' } },
    ...[response('r1'), count(1), count(1), response('r2'), count(2)],
  ])
}

/** A message that is written twice, and a subagent. */
const writeGemini = () => {
  const tokens = { input: 10, output: 20, cached: 4, thoughts: 5, tool: 0, total: 35 }
  const row = { id: 'm1', type: 'gemini', model: 'gemini-2.5-pro', timestamp, tokens }
  const head = (sessionId: string) => ({ sessionId, projectHash: '2d', startTime: timestamp })
  write('.gemini/tmp/shop/chats/session-1.jsonl', [head('g1'), row, { $set: { tokens } }, row])
  write('.gemini/tmp/shop/chats/g1/k3.jsonl', [head('k3'), { ...row, id: 'm2' }])
}

const writeOpencode = () => {
  mkdirSync(join(homedir, '.local/share/opencode'), { recursive: true })
  const database = new DatabaseSync(join(homedir, '.local/share/opencode/opencode.db'))
  database.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
        time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
      time_updated INTEGER, data TEXT)`)
  const tokens = { total: 32, input: 6, output: 15, reasoning: 5, cache: { write: 2, read: 4 } }
  const named = { role: 'assistant', modelID: 'claude-sonnet-4-5', providerID: 'anthropic' }
  const data = JSON.stringify({ ...named, cost: 0.5, tokens, time: { created: 1_762_768_800_000 } })
  for (const id of ['m1', 'm2']) {
    database.prepare('INSERT INTO message VALUES (?, ?, 1, 1, ?)').run(id, 's1', data)
  }
  database.close()
}

const countOurselves = async (assistant: UsageOrigin) => {
  const ledger = openUsageLedger(join(homedir, `${assistant}.sqlite`))
  const { records } = await findRecords({ env: {}, homedir })
  await importUsage(changedRecords(records, ledger), { ledger })
  const { total } = ledger.report(usageQuery.parse({ assistant }), 0)
  await ledger.close()
  const sums = {
    inputTokens: total.input_tokens,
    outputTokens: total.output_tokens,
    cacheReadTokens: total.cache_read_tokens,
    cacheCreationTokens: total.cache_write_tokens,
  }
  return { ...sums, totalTokens: Object.values(sums).reduce((sum, each) => sum + each) }
}

/**
 * `thoughts` are output that ccusage counts only in the total of all tokens. It does not count the
 * requests of Claude Code without a row; usage.test.ts counts those by hand.
 */
it.for([
  { assistant: 'claude', write: writeClaude, counts: [15, 200, 15_000, 1500], thoughts: 0 },
  { assistant: 'codex', write: writeCodex, counts: [12, 40, 8, 0], thoughts: 0 },
  { assistant: 'gemini', write: writeGemini, counts: [12, 50, 8, 0], thoughts: 10 },
  { assistant: 'opencode', write: writeOpencode, counts: [12, 40, 8, 4], thoughts: 10 },
] as const)('counts $assistant as ccusage does', async ({ assistant, write, counts, thoughts }) => {
  write()
  const ours = await countOurselves(assistant)
  const totals = await askCcusage(assistant, homedir)
  expect({ ...totals, outputTokens: totals.outputTokens + thoughts }).toEqual(ours)
  expect(Object.values(ours).slice(0, counts.length)).toEqual(counts)
})
