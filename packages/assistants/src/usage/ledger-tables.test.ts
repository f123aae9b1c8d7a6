import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageQuery } from '@steward/contract'
import { openDatabase } from '@steward/platform'
import { expect, it } from 'vitest'
import { MIGRATIONS } from './ledger-tables.ts'
import { keyOf } from './store-calls.ts'
import { openUsageLedger } from './usage-ledger.ts'

/** The version that stored calls by the hash of their name. */
const BY_KEY = 3

it('keeps the calls of an older ledger, and counts each once from then on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-ledger-'))
  const path = join(folder, 'usage.sqlite')
  const atMs = Date.parse('2026-11-10T10:00:00Z')
  const older = openDatabase(path, { migrations: MIGRATIONS.slice(0, BY_KEY) })
  older
    .statement(
      `INSERT INTO contexts VALUES (1, 'claude', 's1', 'record', 'claude-opus-5-5', '', '/work/shop', '', '')`,
    )
    .run()
  older
    .statement('INSERT INTO call_rows VALUES (?, 1, ?, 10, 20, 0, 0, 0, NULL, 500000000)')
    .run(keyOf('claude m1 req_1'), atMs)
  await older.close()
  const ledger = openUsageLedger(path)
  const call = { session: 's1', project: '/work/shop', model: 'claude-opus-5-5', atMs }
  const tokens = { input: 10, output: 20, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
  const report = () => ledger.report(usageQuery.parse({ by: 'session', project: 'shop' }), atMs)
  expect(report().rows).toMatchObject([{ key: 's1', calls: 1, cost_usd: 0.5 }])
  const calls = ['m1 req_1', 'm2 req_2'].map((id) => ({ ...call, id, tokens }))
  const mark = { offset: 1, memory: {} }
  ledger.add([{ assistant: 'claude', path: 'a', stamp: '1', batch: { calls, totals: [], mark } }])
  expect(report().rows).toMatchObject([{ key: 's1', calls: 2, output_tokens: 40 }])
  await ledger.close()
  rmSync(folder, { recursive: true })
})
