import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { usageQuery } from '@steward/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { findRecords } from './find-records.ts'
import { changedRecords, importUsage } from './import-usage.ts'
import { openUsageLedger } from './usage-ledger.ts'

const PEER = fileURLToPath(new URL('../../../../node_modules/.bin/ccusage', import.meta.url))
const peerReport = z.object({
  totals: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number(),
    cacheCreationTokens: z.number(),
  }),
})

let homedir: string
beforeAll(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-peer-'))
})
afterAll(() => rmSync(homedir, { recursive: true, force: true }))

const write = (path: string, rows: readonly unknown[]) => {
  const file = join(homedir, '.claude/projects/-work-shop', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}
const row = (session: string, id: number, output: number) => ({
  type: 'assistant',
  sessionId: session,
  requestId: `req_${id}`,
  uuid: `${session}-${id}-${output}`,
  timestamp: new Date(Date.UTC(2026, 10, 10, 10, id)).toISOString(),
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
      output_tokens: output,
    },
  },
})

it('counts messages of several rows, subagents and two sessions as ccusage does', async () => {
  write('s1.jsonl', [row('s1', 1, 20), row('s1', 1, 20), row('s1', 2, 30), row('s1', 3, 40)])
  write('s1/subagents/agent-a1.jsonl', [row('s1', 4, 50), row('s1', 4, 50)])
  write('s2.jsonl', [row('s2', 5, 60)])
  const ledger = openUsageLedger(join(homedir, 'usage.sqlite'))
  const { records } = await findRecords({ env: {}, homedir })
  await importUsage(changedRecords(records, ledger), { ledger })
  const { total } = ledger.report(usageQuery.parse({}), 0)
  await ledger.close()
  const { stdout } = await promisify(execFile)(PEER, ['claude', 'session', '--json', '--offline'], {
    env: { PATH: process.env.PATH, HOME: homedir, CLAUDE_CONFIG_DIR: join(homedir, '.claude') },
  })
  const { totals } = peerReport.parse(JSON.parse(stdout))
  const ours = {
    inputTokens: total.input_tokens,
    outputTokens: total.output_tokens,
    cacheReadTokens: total.cache_read_tokens,
    cacheCreationTokens: total.cache_write_tokens,
  }
  expect(totals).toEqual(ours)
  expect(ours).toEqual({
    inputTokens: 15,
    outputTokens: 200,
    cacheReadTokens: 15_000,
    cacheCreationTokens: 1500,
  })
  // ccusage counts neither the requests that summarise a session, which have no row, nor Codex by
  // thread; usage.test.ts counts those by hand.
})
