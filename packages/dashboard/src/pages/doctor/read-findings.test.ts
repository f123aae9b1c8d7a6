import { expect, it } from 'vitest'
import { sortFindings } from './read-findings.ts'

it('puts failures before warnings, and omits what the page shows better', () => {
  const { problems, fine } = sortFindings([
    { check: 'node', status: 'ok', message: 'v24' },
    { check: 'env file', status: 'warn', message: 'open' },
    { check: 'daemon', status: 'warn', message: 'degraded' },
    { check: 'settings', status: 'fail', message: 'broken' },
  ])
  expect(problems.map(({ check }) => check)).toEqual(['settings', 'env file'])
  expect(fine.map(({ check }) => check)).toEqual(['node'])
})
