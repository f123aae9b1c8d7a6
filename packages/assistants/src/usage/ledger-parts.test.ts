import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageQuery } from '@steward/contract'
import { openDatabase } from '@steward/platform'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openUsageLedger, type UsageLedger } from './usage-ledger.ts'

const AT_MS = Date.parse('2026-11-10T10:00:00Z')
const QUARTER_MS = 900_000
const MODEL = 'claude-opus-5-5'

type Step = (ledger: UsageLedger) => void
const small = fc.nat({ max: 3 })

/** A call may be seen again with more output, also in the file of another session. */
const addCall = fc
  .record({ id: fc.nat({ max: 1 }), session: small, quarter: small, output: small })
  .map(
    ({ id, session, quarter, output }): Step =>
      (ledger) => {
        const tokens = { input: 1, output, cacheRead: 2, cacheWrite5m: 0, cacheWrite1h: 3 }
        const atMs = AT_MS + quarter * QUARTER_MS
        const call = { id: `m${id}`, session: `s${session}`, model: MODEL, atMs, tokens }
        const batch = { calls: [call], totals: [], mark: { offset: 1, memory: {} } }
        ledger.add([{ assistant: 'claude', path: `f${session}`, stamp: '1', batch }])
      },
  )
const receiveCall = fc.record({ key: small, session: small }).map(
  ({ key, session }): Step =>
    (ledger) => {
      const tokens = { input: 1, output: 9, cacheRead: 2, cacheWrite5m: 3, cacheWrite1h: 0 }
      const call = { session: `s${session}`, model: MODEL, atMs: AT_MS, tokens }
      ledger.receive([{ assistant: 'claude', source: 'logs', key: `${key}`, call }])
    },
)
const setPrice = small.map(
  (price): Step =>
    (ledger) =>
      ledger.setPrices({ [MODEL]: { input: price, output: 1 } }),
)
const importMore = addCall.map(
  (add): Step =>
    (ledger) => {
      ledger.beginImport()
      add(ledger)
      ledger.endImport()
    },
)
const report: Step = (ledger) => void ledger.totals()

it('sums up what is stored, whatever changed since the last report', async () => {
  const steps = fc.array(
    fc.oneof(addCall, receiveCall, setPrice, importMore, fc.constant(report)),
    {
      minLength: 5,
      maxLength: 25,
    },
  )
  const folder = mkdtempSync(join(tmpdir(), 'steward-parts-'))
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      run += 1
      const path = join(folder, `${run}.sqlite`)
      const ledger = openUsageLedger(path)
      const database = openDatabase(path, {})
      try {
        for (const step of taken) step(ledger)
        const counted = database
          .statement(
            `SELECT session, sum(input) AS input, sum(output) AS output, count(*) AS calls,
               sum(computed_nano) AS computed, max(at_ms) AS last
             FROM calls GROUP BY session ORDER BY session`,
          )
          .all()
        const { rows } = ledger.report(usageQuery.parse({ by: 'session' }), AT_MS)
        const reported = rows
          .map((row) => ({
            session: row.key,
            input: row.input_tokens,
            output: row.output_tokens,
            calls: row.calls,
            computed: Math.round(row.computed_usd * 1e9),
            last: Date.parse(row.last_at ?? ''),
          }))
          .toSorted((one, other) => (one.session < other.session ? -1 : 1))
        expect(reported).toEqual(counted.map((row) => ({ ...row })))
      } finally {
        await database.close()
        await ledger.close()
      }
    }),
    { numRuns: 60 },
  )
  rmSync(folder, { recursive: true })
})

it('reports while another process writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-ledger-'))
  const path = join(folder, 'usage.sqlite')
  const ledger = openUsageLedger(path)
  const tokens = { input: 1, output: 7, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
  const call = { id: 'm', session: 's', model: MODEL, atMs: AT_MS, tokens }
  const batch = { calls: [call], totals: [], mark: { offset: 1, memory: {} } }
  ledger.add([{ assistant: 'claude', path: 'f', stamp: '1', batch }])
  const other = openDatabase(path, {})
  other.writeNow(() => {
    expect(ledger.totals()).toMatchObject([{ model: MODEL, tokens: { output: 7 } }])
    const { total } = ledger.report(usageQuery.parse({ since: '2026-11-01' }), AT_MS)
    expect(total.output_tokens).toBe(7)
  })
  expect(ledger.totals()).toMatchObject([{ model: MODEL, tokens: { output: 7 } }])
  await other.close()
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})
