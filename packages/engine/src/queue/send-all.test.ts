import { expect, test } from 'vitest'
import type { QueueMessage } from './chunk-messages.ts'
import { sendAll } from './send-all.ts'

const recordingQueue = (failAtBatch = Infinity) => {
  const batches: QueueMessage<unknown>[][] = []
  return {
    batches,
    sendBatch: async (messages: QueueMessage<unknown>[]) => {
      if (batches.length === failAtBatch) throw new Error('Too Many Requests')
      batches.push(messages)
    },
  }
}
const messages = Array.from({ length: 250 }, (_, index) => ({ body: { index } }))

test('sends everything in order, in batches within the limits', async () => {
  const queue = recordingQueue()
  expect(await sendAll(queue, messages)).toEqual({ ok: true, value: { sent: 250, batches: 3 } })
  expect(queue.batches.map((batch) => batch.length)).toEqual([100, 100, 50])
  expect(queue.batches.flat()).toEqual(messages)
})

test('sends nothing when one message is too large', async () => {
  const queue = recordingQueue()
  const result = await sendAll(queue, [...messages, { body: 'x'.repeat(200_000) }])
  expect(result.ok ? 'sent' : result.error.code).toBe('payload_too_large')
  expect(queue.batches).toEqual([])
})

test('a failing batch reports what was sent before it', async () => {
  const result = await sendAll(recordingQueue(1), messages)
  if (result.ok) throw new Error('sent')
  expect(result.error.message).toBe('the queue answered with an error: Too Many Requests')
  expect(result.error.details).toMatchObject({ sent: 100 })
})
