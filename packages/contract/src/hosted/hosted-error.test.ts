import { expect, test } from 'vitest'
import { ERROR_CODES, ERRORS, StewardError } from '../errors.ts'
import { hostedErrorBody, toHostedError } from './hosted-error.ts'

test.each(ERROR_CODES)('%s has an envelope that clients read', (code) => {
  const { status, body, shouldRetry } = toHostedError(StewardError.restore(code, 'said'), 'req_1')
  expect(hostedErrorBody.parse(body)).toEqual(body)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(shouldRetry).toBe(ERRORS[code].retryable)
})

test('only allowed details are sent with an error', () => {
  const error = new StewardError('heartbeat_mismatch', {
    work: 'work_1',
    reason: 'another worker has it',
    secret: 'hunter2',
    wire: { current_state: { state: 'active' } },
  })
  const { status, body } = toHostedError(error, 'req_1')
  expect(status).toBe(412)
  expect(body.error.details).toEqual({
    error_code: 'heartbeat_precondition_failed',
    current_state: { state: 'active' },
  })
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

test.each([
  ['unauthorized', 401, 'authentication_error'],
  ['scope_missing', 403, 'permission_error'],
  ['not_found', 404, 'not_found_error'],
  ['version_conflict', 409, 'invalid_request_error'],
  ['payload_too_large', 413, 'request_too_large'],
  ['too_many_requests', 429, 'rate_limit_error'],
  ['storage_failed', 500, 'api_error'],
] as const)('%s is %i %s', (code, status, type) => {
  const answer = toHostedError(StewardError.restore(code, 'said'), 'req_1')
  expect([answer.status, answer.body.error.type]).toEqual([status, type])
})
