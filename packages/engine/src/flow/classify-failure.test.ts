import { isErrorCode, StewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import { classifyDeliveryFailure, classifyFailure, isAnswerToBlame } from './classify-failure.ts'
import { createApiDelivery } from './deliver-api.ts'
import { nextAttempt } from './next-attempt.ts'

const delivery = {
  flow: { id: 'f', name: 'F_X' },
  item: { id: 'i', title: null },
  output: {},
  again: false,
  now: new Date('2026-03-01T12:00:00Z'),
}

const errorFor = async (status: number, headers: Record<string, string> = {}) => {
  const fetch = async () => new Response(null, { status, headers })
  const deliver = createApiDelivery(fetch, () => undefined)
  const destination = { type: 'api', url: 'https://example.test/', method: 'POST' } as const
  const failure = await deliver(destination, delivery).catch((thrown: unknown) => thrown)
  if (failure instanceof StewardError) return failure
  throw new Error(`status ${status} did not fail`)
}

it('statuses of a destination: retry later, wrong configuration, or rejected for good', async () => {
  const classOf = async (status: number) => classifyDeliveryFailure(await errorFor(status))
  for (const status of [408, 409, 425, 429, 500, 502, 503, 504]) {
    expect([status, await classOf(status)]).toEqual([status, 'later'])
  }
  for (const status of [301, 401, 402, 403, 404, 405]) {
    expect([status, await classOf(status)]).toEqual([status, 'configuration'])
  }
  for (const status of [400, 413, 415, 422]) {
    expect([status, await classOf(status)]).toEqual([status, 'rejected'])
  }
})

it('an error of the storage or of the definition is not one of the item', () => {
  const classOf = (code: 'disk_full' | 'credit_exhausted' | 'invalid_input' | 'timeout') =>
    classifyFailure(StewardError.restore(code, 'x'))
  expect(classOf('disk_full')).toBe('configuration')
  expect(classOf('credit_exhausted')).toBe('configuration')
  expect(classOf('invalid_input')).toBe('unfit')
  expect(classOf('timeout')).toBe('later')
})

it('another answer may help after an error of the action or of the answer, not after one of the outside', () => {
  const EXPECTED = {
    action_failed: true,
    invalid_output: true,
    model_malformed: true,
    model_refused: true,
    address_refused: true,
    upstream_failed: false,
    timeout: false,
    rate_limited: false,
    model_overloaded: false,
    budget_exceeded: false,
    subrequest_limit: false,
    secret_missing: false,
  } as const
  const found = Object.keys(EXPECTED)
    .filter(isErrorCode)
    .map((code) => [code, isAnswerToBlame(StewardError.restore(code, 'x'))])
  expect(Object.fromEntries(found)).toEqual(EXPECTED)
})

it('the pause doubles up to an hour, with jitter; the time that a destination asks for wins', async () => {
  const pause = (attempts: number, random: number) =>
    nextAttempt('delivery', attempts, { details: {} }, { nowMs: 0, random: () => random }).atMs
  expect([1, 2, 3, 7, 50].map((attempts) => pause(attempts, 0.5))).toEqual([
    60_000, 120_000, 240_000, 3_600_000, 3_600_000,
  ])
  expect([pause(1, 0), pause(1, 0.999_999)]).toEqual([48_000, 72_000])
  const asked = await errorFor(503, { 'retry-after': 'Sun, 01 Mar 2026 12:10:00 GMT' })
  const clock = { nowMs: delivery.now.getTime(), random: () => 0 }
  expect(nextAttempt('delivery', 9, asked, clock)).toEqual({
    atMs: clock.nowMs + 600_000,
    notBeforeMs: clock.nowMs + 600_000,
  })
})
