import { expect, test } from 'vitest'
import { delivered } from '../channels/send-outcome.ts'
import type { NewDelivery } from '../outbox/delivery.ts'
import { createUnstoredSender } from './send-unstored.ts'

const HOUR_MS = 3_600_000
const notice: NewDelivery = {
  channel: 'push',
  kind: 'error',
  sessionId: null,
  title: 'Storage',
  message: 'the disk is full',
  priority: 4,
  tags: [],
  click: null,
  color: null,
}

test('five notices a minute are sent without the outbox, also after the clock is set back', () => {
  let nowMs = 2 * HOUR_MS
  let sent = 0
  const lost: string[] = []
  const send = createUnstoredSender({
    send: async () => {
      sent++
      return delivered('sent')
    },
    now: () => nowMs,
    say: (message) => lost.push(message),
  })
  send(Array.from({ length: 7 }, () => notice))
  expect([sent, lost.length]).toEqual([5, 2])
  nowMs = HOUR_MS
  send([notice])
  expect(sent).toBe(6)
  nowMs += 60_000
  send([notice])
  expect(sent).toBe(7)
})
