import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import { generated } from '../../../platform/src/redaction/testing/generated-secrets.ts'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { toErrorAnswer } from './error-answer.ts'

const answer = (reason: string): string =>
  toErrorAnswer(new StewardError('invalid_input', { subject: 'the body', reason }), 'req_1').body

it('shows the held-back texts with the required rates', () => {
  expect(missedRates(HELD_BACK_TEXTS.map(answer))).toEqual([])
})

it('masks a secret before it cuts a long message', () => {
  const secret = `gh${'p_'}${generated(36, 1)}`
  const shown = answer(`${'x '.repeat(980)} ${secret} ${'y '.repeat(200)}`)
  expect(shown).toContain('[redacted]')
  expect(shown).not.toContain(secret.slice(0, 12))
})
