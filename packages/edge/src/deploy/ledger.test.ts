import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DeployRecord, findDeployedUrl, parseLedger } from './ledger.ts'

const record = (more: Partial<DeployRecord>): string =>
  `${JSON.stringify({
    time: '2026-01-01T00:00:00.000Z',
    account: 'mine',
    short: 'a-zap-it',
    worker: 'exec-a-zap-it',
    hash: 'h1',
    version: 'v1',
    previousVersion: null,
    url: null,
    ...more,
  })}\n`

describe('parseLedger', () => {
  it('keeps the last record of each worker of the account', () => {
    const text = record({}) + record({ hash: 'h2' }) + record({ account: 'other', hash: 'h3' })
    expect(parseLedger(text, 'mine').latest.get('a-zap-it')?.hash).toBe('h2')
  })

  it('loses no whole line to a torn one, wherever a crash cut it', () => {
    const whole = record({})
    fc.assert(
      fc.property(fc.nat(whole.length - 3), (cut) => {
        const { latest, unreadable } = parseLedger(`${whole}${whole.slice(0, cut)}`, 'mine')
        expect(latest.size).toBe(1)
        expect(unreadable).toEqual(cut === 0 ? [] : [2])
      }),
    )
  })
})

it('finds where a worker was last deployed to', () => {
  const text =
    record({ url: 'https://old' }) + record({ url: 'https://new' }) + record({ url: null })
  expect(findDeployedUrl(text, 'exec-a-zap-it', undefined)).toBe('https://new')
  expect(findDeployedUrl(text, 'exec-a-zap-it', 'other')).toBeUndefined()
  expect(findDeployedUrl(text, 'exec-a-none-here', undefined)).toBeUndefined()
})
