import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { toErrorAnswer } from './error-answer.ts'

it.each(SINK_CASES)('an error that quotes $name does not show it', (each) => {
  const error = new StewardError('invalid_input', {
    ...{ subject: 'the body', reason: each.text },
    issues: [{ path: 'key', message: each.text }],
  })
  const { body } = toErrorAnswer(error, '/home/x', { statusInErrors: true })
  expect(findLeaks(body, [each])).toEqual([])
  expect(body).toContain('[redacted]')
})

it('lists the mistakes of an input with their paths', () => {
  const issues = [
    { path: 'a.b', message: 'the name must be short', isKey: true },
    { path: 'a[0]', message: 'must be in /home/x' },
  ]
  const error = new StewardError('invalid_input', { subject: 'a', reason: 'r', issues })
  expect(JSON.parse(toErrorAnswer(error, '/home/x').body)).toMatchObject({
    issues: [issues[0], { path: 'a[0]', message: 'must be in HOME' }],
  })
})

it('answers with the held-back texts at the required rates', () => {
  const bodies = HELD_BACK_TEXTS.map((reason) => {
    const error = new StewardError('invalid_input', { subject: 'the body', reason })
    return toErrorAnswer(error, '/home/x', { statusInErrors: true }).body
  })
  expect(missedRates(bodies)).toEqual([])
})
