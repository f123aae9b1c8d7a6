import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { maskReport } from './mask-report.ts'

const open = (options: { env?: Record<string, string>; databaseUrl?: string } = {}) => {
  const lines: string[] = []
  const report = maskReport({
    env: {},
    ...options,
    report: ({ code, message }, where) => lines.push(`${code}: ${message} (${where})`),
  })
  return { lines, report }
}

it('shows the held-back texts with the required rates', () => {
  const { lines, report } = open()
  for (const reason of HELD_BACK_TEXTS) {
    report(new StewardError('internal', { reason }), 'sesn_1')
  }
  expect(missedRates(lines)).toEqual([])
})

it('masks values of the environment and the password of the store', () => {
  const { lines, report } = open({
    env: { LLM_API_KEY: 'correct horse battery' },
    databaseUrl: 'postgres://me:open%20sesame@db/x',
  })
  report(new StewardError('internal', { reason: 'correct horse battery' }), 'as open sesame')
  expect(lines).toEqual([
    expect.stringMatching(/^internal: .*\[redacted:LLM_API_KEY\].* \(as \[redacted:--db\.password/),
  ])
})
