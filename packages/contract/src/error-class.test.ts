import { expect, it } from 'vitest'
import { errorClassOf } from './error-class.ts'
import { ERROR_CODES, ERRORS, StewardError } from './errors.ts'

it('never calls a temporary error the fault of the item', () => {
  const temporary = ERROR_CODES.filter((code) => ERRORS[code].retryable)
  const content = temporary.filter((code) => errorClassOf({ code }) === 'content')
  expect(content).toEqual([])
})

it.each([
  ['secret_missing', 'configuration'],
  ['credit_exhausted', 'configuration'],
  ['disk_full', 'configuration'],
  ['not_found', 'configuration'],
  ['model_refused', 'content'],
  ['rejected_content', 'content'],
  ['rate_limited', 'retry-later'],
  ['model_overloaded', 'retry-later'],
  ['upstream_failed', 'retry-later'],
  ['action_failed', 'retry-later'],
] as const)('%s is %s', (code, expected) => {
  expect(errorClassOf({ code })).toBe(expected)
})

it('retries errors that it does not know', () => {
  expect(errorClassOf({ code: 'from_a_later_version' })).toBe('retry-later')
})

it('tells a pipeline that does not fit its source from an item with a wrong value', () => {
  const subject = 'A_EXTRACT_TRANSCRIPT'
  const missing = new StewardError('invalid_input', {
    subject,
    reason: 'missing input "url" (string)',
  })
  const wrong = new StewardError('invalid_input', { subject, reason: '"url" is not a video' })
  expect([errorClassOf(missing), errorClassOf(wrong)]).toEqual(['configuration', 'content'])
})
