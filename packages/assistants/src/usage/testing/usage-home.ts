import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type UsageReport, usageQuery } from '@steward/contract'
import { onTestFinished } from 'vitest'
import { findRecords } from '../find-records.ts'
import { changedRecords, importUsage } from '../import-usage.ts'
import { openUsageLedger, type UsageLedger } from '../usage-ledger.ts'

/** The folder of a person with records of assistants, and a ledger, for one test. */
export interface UsageHome {
  homedir: string
  ledger: UsageLedger
  /** Appends rows to a file; returns its path. */
  write: (path: string, rows: readonly unknown[]) => string
  /** Reads new records; resolves to the problems. */
  update: (env?: Record<string, string>) => Promise<string[]>
  report: (
    query?: Record<string, string>,
  ) => Pick<UsageReport, 'rows' | 'total' | 'unpriced_models'>
  /** Reads new records; resolves to the tokens of input, output, cache reads and cache writes. */
  total: () => Promise<number[]>
}

export const createUsageHome = (): UsageHome => {
  const homedir = mkdtempSync(join(tmpdir(), 'steward-usage-'))
  const ledger = openUsageLedger(join(homedir, 'usage.sqlite'))
  onTestFinished(async () => {
    await ledger.close()
    rmSync(homedir, { recursive: true, force: true })
  })
  const update: UsageHome['update'] = async (env = {}) => {
    const { records, problems } = await findRecords({ env, homedir })
    return [...problems, ...(await importUsage(changedRecords(records, ledger), { ledger }))]
  }
  const report: UsageHome['report'] = (query = {}) =>
    ledger.report(usageQuery.parse(query), Date.parse('2026-11-10T10:05:00Z'))
  return {
    homedir,
    ledger,
    update,
    report,
    write: (path, rows) => {
      const file = join(homedir, path)
      mkdirSync(dirname(file), { recursive: true })
      appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      return file
    },
    total: async () => {
      const problems = await update()
      if (problems.length > 0) throw new Error(problems.join(', '))
      const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = report().total
      return [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens]
    },
  }
}
