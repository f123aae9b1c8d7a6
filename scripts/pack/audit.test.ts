import { expect, test } from 'vitest'
import { readAudit } from './audit.ts'

test('a report without severe findings is clean', () => {
  const report = { vulnerabilities: {}, metadata: { vulnerabilities: { high: 0 } } }
  expect(readAudit(0, JSON.stringify(report))).toEqual({ kind: 'clean' })
})

test('severe findings are named', () => {
  const report = { vulnerabilities: { left: {}, right: {} }, metadata: {} }
  expect(readAudit(1, JSON.stringify(report))).toEqual({
    kind: 'vulnerable',
    report: 'left, right',
  })
})

test('an unreachable registry does not count as a clean report', () => {
  const refused = { message: '405 Method Not Allowed - POST https://registry.example/-/audit' }
  expect(readAudit(1, JSON.stringify(refused))).toEqual({
    kind: 'not checked',
    reason: '405 Method Not Allowed',
  })
  expect(readAudit(1, '').kind).toBe('not checked')
})
