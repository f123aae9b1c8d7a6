import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkMessages } from './chunk-messages.ts'

const bytesOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body)) + 100

const largeBody = fc
  .tuple(fc.constantFrom('x', 'é', '漢', '😀'), fc.integer({ min: 5000, max: 31_000 }))
  .map(([text, times]) => ({ content: text.repeat(times) }))
const smallBody = fc.oneof(fc.string({ maxLength: 20 }), fc.record({ id: fc.integer() }))

/** Many small ones reach the limit of messages, fewer large ones that of bytes. */
const bodiesToSend = fc.oneof(
  fc.array(fc.oneof(smallBody, largeBody), { maxLength: 5 }),
  fc.array(smallBody, { minLength: 90, maxLength: 260 }),
  fc.array(largeBody, { minLength: 3, maxLength: 20 }),
)

test('every batch respects the limits, and together they are the messages in order', () => {
  fc.assert(
    fc.property(bodiesToSend, (bodies) => {
      const messages = bodies.map((each) => ({ body: each }))
      const chunks = chunkMessages(messages)
      if (!chunks.ok) throw chunks.error
      expect(chunks.value.flat()).toEqual(messages)
      for (const batch of chunks.value) {
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.length).toBeLessThanOrEqual(100)
        const total = batch.reduce((sum, message) => sum + bytesOf(message.body), 0)
        expect(total).toBeLessThanOrEqual(256_000)
      }
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test('no batch is closed before the next message would exceed a limit', () => {
  fc.assert(
    fc.property(bodiesToSend, (bodies) => {
      const chunks = chunkMessages(bodies.map((each) => ({ body: each })))
      if (!chunks.ok) throw chunks.error
      chunks.value.slice(1).forEach((batch, index) => {
        const before = chunks.value[index] ?? []
        const bytes = [...before, batch[0]].reduce((sum, each) => sum + bytesOf(each?.body), 0)
        expect(before.length === 100 || bytes > 256_000).toBe(true)
      })
    }),
    { numRuns: 60, endOnFailure: true },
  )
})

test('no messages give no batches', () => {
  expect(chunkMessages([])).toEqual({ ok: true, value: [] })
})

test('a message over the limit is reported by its index', () => {
  const fits = 'x'.repeat(LIMITS.queueMessageBytes - 2 - LIMITS.queueMessageOverheadBytes)
  expect(chunkMessages([{ body: fits }]).ok).toBe(true)
  const result = chunkMessages([{ body: 'small' }, { body: `${fits}x` }])
  if (result.ok) throw new Error('accepted')
  expect(result.error.code).toBe('payload_too_large')
  expect(result.error.message).toBe('queue message 1 is 128001 bytes; the limit is 128000')
  expect(result.error.details).toMatchObject({ index: 1 })
})

test('the size counts UTF-8 bytes, not characters', () => {
  const result = chunkMessages([{ body: '漢'.repeat(50_000) }])
  expect(result.ok ? 'accepted' : result.error.code).toBe('payload_too_large')
})

test('a body that JSON cannot represent is reported', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  for (const wrong of [undefined, circular, 10n]) {
    const result = chunkMessages<unknown>([{ body: 1 }, { body: wrong }])
    expect(result.ok ? 'accepted' : result.error.message).toContain('queue message 1: the body')
  }
})
