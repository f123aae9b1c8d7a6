import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usageQuery } from '@steward/contract'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findRecords } from './find-records.ts'
import { importHistory } from './import-history.ts'
import { createTurns } from './import-turns.ts'
import { changedRecords, importInto } from './import-usage.ts'
import { createPartStore } from './store-parts.ts'
import { openUsageLedger } from './usage-ledger.ts'

let homedir: string
beforeEach(() => {
  homedir = mkdtempSync(join(tmpdir(), 'steward-import-'))
  mkdirSync(join(homedir, '.claude/projects/shop'), { recursive: true })
})
afterEach(() => rmSync(homedir, { recursive: true, force: true }))

const FILES = 12
/**
 * Each file is a row that was copied from another one, a call of two rows, and totals that contain
 * one more call.
 */
const writeFiles = (padding: string) => {
  for (let file = 0; file < FILES; file++) {
    const call = (text: string, id = file, output = 2) => ({
      type: 'assistant',
      sessionId: `s${file}`,
      requestId: `req_${id}`,
      timestamp: '2026-11-10T10:00:00Z',
      message: {
        id: `m${id}`,
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text }],
        usage: { input_tokens: 1, output_tokens: output },
      },
    })
    const totals = {
      type: 'cost-state',
      sessionId: `s${file}`,
      totalCostUSD: 1,
      modelUsage: { 'claude-opus-5-5': { inputTokens: 2, outputTokens: 4 } },
    }
    const copied = call('copied', (file + 1) % FILES, 0)
    const own = [call('one'), call('"output_tokens":9')]
    const rows = [{ type: 'user', padding }, copied, ...own, totals]
    const path = join(homedir, `.claude/projects/shop/s${file}.jsonl`)
    appendFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  }
}
const open = () => openUsageLedger(join(homedir, 'usage.sqlite'))
const find = async () => (await findRecords({ env: {}, homedir })).records
const EXPECTED = { calls: FILES * 2, input_tokens: FILES * 2, output_tokens: FILES * 4 }

it('imports much in two threads, each record once', async () => {
  writeFiles('x'.repeat(6 * 1024 * 1024))
  const ledger = open()
  expect(await importHistory(changedRecords(await find(), ledger), ledger)).toEqual([])
  expect(ledger.report(usageQuery.parse({}), 0).total).toMatchObject(EXPECTED)
  expect(changedRecords(await find(), ledger)).toEqual([])
  expect(ledger.progress()).toBeNull()
  await ledger.close()
})

it('completes a first import that was killed, when it is opened again', async () => {
  writeFiles('')
  const killed = open()
  killed.beginImport()
  const records = changedRecords(await find(), killed)
  const store = createPartStore({ ledger: killed, mostCalls: 1, mostFiles: 1, total: FILES })
  await importInto(store, records, { ledger: killed, turns: createTurns() })
  store.flush()
  expect(killed.progress()).toMatchObject({ total: FILES })
  await killed.close()
  const ledger = open()
  ledger.endImport()
  expect(ledger.report(usageQuery.parse({}), 0).total).toMatchObject(EXPECTED)
  expect(ledger.progress()).toBeNull()
  await ledger.close()
})

it('completes a first import during which another process opened the ledger', async () => {
  writeFiles('')
  const ledger = open()
  ledger.beginImport()
  const records = changedRecords(await find(), ledger)
  const store = createPartStore({ ledger, mostCalls: 1, mostFiles: 1, total: FILES })
  const [first, ...others] = records
  await importInto(store, first === undefined ? [] : [first], { ledger, turns: createTurns() })
  store.flush()
  const daemon = open()
  daemon.endImport()
  await importInto(store, others, { ledger, turns: createTurns() })
  store.flush()
  ledger.endImport()
  expect(daemon.report(usageQuery.parse({}), 0).total).toMatchObject(EXPECTED)
  await Promise.all([daemon.close(), ledger.close()])
})
