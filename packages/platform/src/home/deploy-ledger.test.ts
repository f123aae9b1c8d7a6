import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type DeployRecord,
  deployedUrls,
  latestDeploys,
  openDeployLedger,
  parseDeployLedger,
} from './deploy-ledger.ts'

const recordOf = (more: Partial<DeployRecord> = {}): DeployRecord => ({
  time: '2026-01-01T00:00:00.000Z',
  account: 'mine',
  short: 'a-zap-it',
  worker: 'exec-a-zap-it',
  hash: 'h1',
  version: 'v1',
  previousVersion: null,
  url: null,
  ...more,
})
const lineOf = (more?: Partial<DeployRecord>): string => `${JSON.stringify(recordOf(more))}\n`

describe('parseDeployLedger', () => {
  it('keeps the last record of each worker of the account', () => {
    const text = lineOf() + lineOf({ hash: 'h2' }) + lineOf({ account: 'other', hash: 'h3' })
    expect(latestDeploys(parseDeployLedger(text), 'mine').get('a-zap-it')?.hash).toBe('h2')
  })

  it('loses only the truncated line, wherever a crash cut it', () => {
    const whole = lineOf()
    fc.assert(
      fc.property(fc.nat(whole.length - 3), (cut) => {
        const content = parseDeployLedger(`${whole}${whole.slice(0, cut)}`)
        expect(latestDeploys(content, 'mine').size).toBe(1)
        expect(content.unreadable).toEqual(cut === 0 ? [] : [2])
      }),
    )
  })
})

it('finds where a worker was last deployed to', () => {
  const content = parseDeployLedger(
    lineOf({ url: 'https://old' }) + lineOf({ url: 'https://new' }) + lineOf({ url: null }),
  )
  expect(deployedUrls(content, undefined)).toEqual(new Map([['exec-a-zap-it', 'https://new']]))
  expect(deployedUrls(content, 'other')).toEqual(new Map())
})

it('is empty at first, and skips a truncated line', async () => {
  const databases = await mkdtemp(join(tmpdir(), 'steward-ledger-'))
  onTestFinished(() => rm(databases, { recursive: true, force: true }))
  const ledger = openDeployLedger({ databases })
  expect(await ledger.read()).toEqual({ records: [], resources: [], unreadable: [] })
  await ledger.append(recordOf())
  const file = join(databases, 'edge/deploys.jsonl')
  await writeFile(file, `${await readFile(file, 'utf8')}{"time":"20`)
  await ledger.append(recordOf({ hash: 'h2' }))
  const content = await ledger.read()
  expect(latestDeploys(content, 'mine').get('a-zap-it')?.hash).toBe('h2')
  expect(content.unreadable).toEqual([2])
})
