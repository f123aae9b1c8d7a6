import { expect, test } from 'vitest'
import { type QueueOutcome, settleBatch } from './settle-batch.ts'

const messages = ['a', 'b', 'c'].map((id) => ({ id, body: {}, sentAtMs: 0, attempts: 1 }))
const report: QueueOutcome = {
  outcome: 'ok',
  ackAll: false,
  retryBatch: { retry: false },
  explicitAcks: [],
  retryMessages: [],
}
const outcomes = (given: Partial<QueueOutcome>) =>
  settleBatch(messages, { ...report, ...given }, 7).map((each) =>
    each.outcome === 'ack' ? 'ack' : `retry ${each.delaySeconds}`,
  )

test('a handler that returns acknowledges, one that throws retries', () => {
  expect(outcomes({})).toEqual(['ack', 'ack', 'ack'])
  expect(outcomes({ outcome: 'exception' })).toEqual(['retry 7', 'retry 7', 'retry 7'])
})

test('an explicit settlement of one message wins', () => {
  const given = { explicitAcks: ['a'], retryMessages: [{ msgId: 'b', delaySeconds: 30 }] }
  expect(outcomes({ ...given, outcome: 'exception' })).toEqual(['ack', 'retry 30', 'retry 7'])
  expect(outcomes({ ...given, ackAll: true })).toEqual(['ack', 'retry 30', 'ack'])
  expect(outcomes({ ...given, retryBatch: { retry: true, delaySeconds: 9 } })).toEqual([
    'ack',
    'retry 30',
    'retry 9',
  ])
})

test('a settlement of the batch holds even if the handler throws', () => {
  expect(outcomes({ ackAll: true, outcome: 'exception' })).toEqual(['ack', 'ack', 'ack'])
})

test('an invalid delay is replaced by the default', () => {
  expect(outcomes({ retryMessages: [{ msgId: 'a', delaySeconds: -1 }] })[0]).toBe('retry 7')
})
