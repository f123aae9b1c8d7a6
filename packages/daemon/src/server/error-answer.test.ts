import { StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { toErrorAnswer } from './error-answer.ts'

it.each(SINK_CASES)('an error that quotes $name does not show it', (each) => {
  const error = new StewardError('invalid_input', { subject: 'the body', reason: each.text })
  const { body } = toErrorAnswer(error, '/home/x', { statusInErrors: true })
  expect(findLeaks(body, [each])).toEqual([])
  expect(body).toContain('[redacted]')
})
