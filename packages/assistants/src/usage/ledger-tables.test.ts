import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageQuery } from '@steward/contract'
import { openDatabase } from '@steward/platform'
import { expect, it } from 'vitest'
import { keyOf } from './call-key.ts'
import { MIGRATIONS } from './ledger-tables.ts'
import { openUsageLedger } from './usage-ledger.ts'

const KEY = keyOf('claude m1 req_1')
const AT_MS = Date.parse('2026-11-10T10:00:00Z')
const CONTEXT = `'claude', 's1', 'record', 'claude-opus-5-5', '', '/work/shop', '', ''`

it.each([
  ['that stored calls by the hash of their name', 3, `1, ${CONTEXT}`, ''],
  ['whose keys had an index for good', 4, `1, NULL, ${CONTEXT}`, `, ${AT_MS} / 900000`],
  ['that had an index of times', 5, `1, NULL, ${CONTEXT}`, `, ${AT_MS} / 900000`],
])('keeps the calls of a ledger %s, and counts each once from then on', async (...version) => {
  const [, migrations, context, quarter] = version
  const folder = mkdtempSync(join(tmpdir(), 'steward-ledger-'))
  const path = join(folder, 'usage.sqlite')
  const atMs = AT_MS
  const older = openDatabase(path, { migrations: MIGRATIONS.slice(0, migrations) })
  older.statement(`INSERT INTO contexts VALUES (${context})`).run()
  older
    .statement(
      `INSERT INTO call_rows VALUES (${KEY}, 1, ${atMs}, 10, 20, 0, 0, 0, NULL, 500000000${quarter})`,
    )
    .run()
  await older.close()
  const ledger = openUsageLedger(path)
  const call = { session: 's1', project: '/work/shop', model: 'claude-opus-5-5', atMs }
  const tokens = { input: 10, output: 20, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
  const query = usageQuery.parse({ by: 'session', project: 'shop', since: '2026-11-09' })
  const report = () => ledger.report(query, atMs)
  expect(report().rows).toMatchObject([{ key: 's1', calls: 1, cost_usd: 0.5 }])
  const calls = ['m1 req_1', 'm2 req_2'].map((id) => ({ ...call, id, tokens }))
  const mark = { offset: 1, memory: {} }
  ledger.add([{ assistant: 'claude', path: 'a', stamp: '1', batch: { calls, totals: [], mark } }])
  expect(report().rows).toMatchObject([{ key: 's1', calls: 2, output_tokens: 40 }])
  await ledger.close()
  rmSync(folder, { recursive: true })
})
