import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageQuery } from '@steward/contract'
import { beforeEach, expect, it } from 'vitest'
import { createLedgerReports } from './report-large.ts'
import { openUsageLedger, type UsageLedger } from './usage-ledger.ts'

const AT_MS = Date.parse('2026-11-10T10:00:00Z')
const DAY_MS = 86_400_000

let ledger: UsageLedger
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-report-'))
  ledger = openUsageLedger(join(folder, 'usage.sqlite'))
  return async () => {
    await ledger.close()
    rmSync(folder, { recursive: true })
  }
})

let count = 0
const add = (session: string, atMs: number, output = 1) => {
  count += 1
  const tokens = { input: 0, output, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
  const call = { id: `m${count}`, session, model: 'claude-opus-5-5', atMs, tokens }
  const batch = { calls: [call], totals: [], mark: { offset: 1, memory: {} } }
  ledger.add([{ assistant: 'claude', path: `f${count}`, stamp: '1', batch }])
}

it('answers from a thread what the ledger itself answers, with the newest calls', async () => {
  const reports = createLedgerReports(ledger, 0)
  try {
    for (const output of [3, 4]) {
      add(`s${output}`, AT_MS, output)
      for (const by of ['day', 'session', 'model'] as const) {
        const query = usageQuery.parse({ by, series: 'day' })
        expect(await reports.report(query, AT_MS)).toEqual(ledger.report(query, AT_MS))
      }
      expect(await reports.totals(AT_MS)).toEqual(ledger.totals())
    }
    expect(await reports.totals(AT_MS)).toMatchObject([{ calls: 2, tokens: { output: 7 } }])
  } finally {
    reports.close()
  }
})

it('adds new calls to a window at once, and earlier ones after an import', () => {
  const tokensOf = () => ledger.windows(AT_MS).find(({ kind }) => kind === 'week')?.tokens
  add('s1', AT_MS - 3 * DAY_MS, 5)
  expect(tokensOf()).toBe(5)
  add('s1', AT_MS, 7)
  expect(tokensOf()).toBe(12)
  ledger.beginImport()
  add('s2', AT_MS - 2 * DAY_MS, 9)
  ledger.endImport()
  expect(tokensOf()).toBe(21)
})

it('leaves off the cheapest rows and the earliest days beyond the limit, and counts them', () => {
  add('s1', AT_MS - DAY_MS, 1)
  add('s2', AT_MS, 3)
  add('s3', AT_MS, 2)
  const report = (by: 'session' | 'day') => ledger.report(usageQuery.parse({ by, limit: 1 }), AT_MS)
  expect(report('session')).toMatchObject({ rows: [{ key: 's2' }], more_rows: 2 })
  expect(report('day')).toMatchObject({
    rows: [{ key: '2026-11-10' }],
    more_rows: 1,
    total: { calls: 3 },
  })
})

it('reports one session, or several by their names', () => {
  for (const [index, session] of ['s1', 's2', 's3'].entries()) add(session, AT_MS, 9 - index)
  const keysOf = (session: string) =>
    ledger.report(usageQuery.parse({ by: 'session', session }), AT_MS).rows.map(({ key }) => key)
  expect(keysOf('s2')).toEqual(['s2'])
  expect(keysOf('s3,s1,s9')).toEqual(['s1', 's3'])
  expect(keysOf('s9')).toEqual([])
})
