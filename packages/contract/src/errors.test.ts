import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ATTENTION_ERRORS } from './errors/attention-errors.ts'
import { DRIVEN_ERRORS } from './errors/driven-errors.ts'
import { REQUEST_ERRORS } from './errors/request-errors.ts'
import { RUN_ERRORS } from './errors/run-errors.ts'
import { SERVICE_ERRORS } from './errors/service-errors.ts'
import { SESSION_ERRORS } from './errors/session-errors.ts'
import { STORAGE_ERRORS } from './errors/storage-errors.ts'
import {
  ERROR_CODES,
  ERRORS,
  isErrorCode,
  reasonOf,
  StewardError,
  toStewardError,
} from './errors.ts'

const AREAS = [
  ATTENTION_ERRORS,
  DRIVEN_ERRORS,
  REQUEST_ERRORS,
  RUN_ERRORS,
  SERVICE_ERRORS,
  SESSION_ERRORS,
  STORAGE_ERRORS,
]

const STATUSES = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 501, 502, 503, 504]

test('every row is complete', () => {
  expect(ERROR_CODES.length).toBe(Object.keys(ERRORS).length)
  for (const code of ERROR_CODES) {
    const row = ERRORS[code]
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
    expect(STATUSES, code).toContain(row.status)
    expect(row.message, code).not.toBe('')
    expect(row.remedy, code).toMatch(/[.]$/)
    expect(row.message.replace(/\{[a-zA-Z]+\??\}/g, ''), code).not.toMatch(/[{}]/)
  }
})

test('no code has rows in two areas', () => {
  const rows = AREAS.flatMap((area) => Object.keys(area))
  expect(rows.toSorted()).toEqual(ERROR_CODES.toSorted())
})

test('errors that the caller caused are never retryable unchanged', () => {
  const retryable = ERROR_CODES.filter((code) => ERRORS[code].retryable)
  const clientSide = retryable.filter((code) => ERRORS[code].status < 429 && code !== 'run_active')
  expect(clientSide).toEqual([])
})

test('a message is filled from the details', () => {
  const error = new StewardError('payload_too_large', {
    subject: 'the input',
    bytes: 11,
    limit: 10,
  })
  expect(error.message).toBe('the input is 11 bytes; the limit is 10')
  expect([error.status, error.retryable]).toEqual([413, false])
  expect(error.remedy).toBe(ERRORS.payload_too_large.remedy)
})

test('no placeholder is left in any message, whatever the details are', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ERROR_CODES),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (code, details) => {
        const error: unknown = Reflect.construct(StewardError, [code, details])
        expect(reasonOf(error)).not.toMatch(/\{[a-zA-Z]+\??\}/)
      },
    ),
  )
})

test('details that leave a placeholder empty do not compile', () => {
  // @ts-expect-error: the message names {what} and {name}
  expect(new StewardError('not_found', { subject: 'x' }).message).toBe(' not found: ')
  // @ts-expect-error: the message names {flow}
  expect(new StewardError('flow_disabled').message).toBe('flow  is disabled')
  // @ts-expect-error: undefined would be shown as nothing
  expect(new StewardError('run_cancelled', { run: undefined }).message).toBe('run  was cancelled')
  // @ts-expect-error: {path} is missing, only {reason} comes from what was thrown
  expect(toStewardError('full', 'storage_failed').message).toBe('could not write : full')
  expect(new StewardError('not_found', { what: 'flow', name: 'F_X' }).message).toBe(
    'flow not found: F_X',
  )
})

test('details are data: they fill no placeholder of their own', () => {
  const error = new StewardError('invalid_input', { subject: '{reason}', reason: '$&' })
  expect(error.message).toBe('{reason}: $&')
})

test('the wire body keeps `error` a string and exposes no internal details', () => {
  const details = { subject: 'A_COUNT_WORDS', reason: 'wrong', field: 'content', secret: 'hunter2' }
  expect(new StewardError('invalid_input', details, new Error('inner')).toBody()).toEqual({
    success: false,
    error: 'A_COUNT_WORDS: wrong',
    code: 'invalid_input',
    field: 'content',
  })
  expect(new StewardError('unauthorized').toBody()).toEqual({
    success: false,
    error: 'Unauthorized',
    code: 'unauthorized',
  })
})

test('whatever is thrown becomes an error of the table with its reason and cause', () => {
  const known = new StewardError('timeout', { subject: 'x', limitMs: 5 })
  expect(toStewardError(known)).toBe(known)
  const cause = new TypeError('broken')
  const wrapped = toStewardError(cause, 'action_failed', { action: 'A_COUNT_WORDS' })
  expect(wrapped.message).toBe('A_COUNT_WORDS failed: broken')
  expect(wrapped.cause).toBe(cause)
  expect(toStewardError('just text').message).toBe('internal error: just text')
})

test('a reason is readable for anything, and never throws', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  expect(reasonOf({ code: 7 })).toBe('{"code":7}')
  expect(reasonOf(new RangeError())).toBe('RangeError')
  for (const odd of [
    circular,
    { big: 10n },
    Object.create(null),
    Symbol('s'),
    undefined,
    null,
    [1],
  ]) {
    expect(reasonOf(odd)).not.toBe('')
  }
})

test('a detail that JSON cannot hold does not break the message', () => {
  const details = { subject: 10n, reason: undefined }
  const error: unknown = Reflect.construct(StewardError, ['invalid_input', details])
  expect(reasonOf(error)).toBe('[object BigInt]: ')
})

test('distinguishes error codes from other text', () => {
  expect(isErrorCode('timeout')).toBe(true)
  expect(isErrorCode('toString')).toBe(false)
})

test('an error from another copy of the class is recognised, but not by a subclass', () => {
  class Narrower extends StewardError<'timeout'> {}
  const copied = Object.assign(new Error('x'), { name: 'StewardError', code: 'timeout' })
  expect(copied instanceof StewardError).toBe(true)
  expect(copied instanceof Narrower).toBe(false)
  const details = { subject: 'x', limitMs: 1 }
  expect(new StewardError('timeout', details) instanceof Narrower).toBe(false)
  expect(new Narrower('timeout', details) instanceof StewardError).toBe(true)
  expect(new Narrower('timeout', details) instanceof Narrower).toBe(true)
  expect(new Error('x') instanceof StewardError).toBe(false)
  expect(Object(undefined) instanceof StewardError).toBe(false)
})
