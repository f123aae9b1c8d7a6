import { expect, test } from 'vitest'
import { createFlowSender } from './create-flow-sender.ts'
import type { Notice, NoticeOutcome } from './notice.ts'

const notice = { key: 'flow/1', title: 'T', message: 'x' }

const sendWith = (outcome: Partial<NoticeOutcome>) => {
  const notify = async (given: Notice): Promise<NoticeOutcome> => ({
    id: 'n1',
    kind: given.kind ?? null,
    stored: true,
    deliveries: [],
    ...outcome,
  })
  return createFlowSender({ notify })(notice)
}

test('the receipt names the notice and the result per channel', async () => {
  const waiting = { id: 'd1', channel: 'push' as const, state: 'waiting' as const, detail: null }
  expect(await sendWith({ deliveries: [waiting] })).toEqual({
    key: 'flow/1',
    notice: 'n1',
    channels: [{ channel: 'push', state: 'waiting' }],
  })
})

test('a repeated one is marked as such', async () => {
  expect(await sendWith({ repeated: true })).toEqual({
    key: 'flow/1',
    repeated: true,
    channels: [],
  })
})

test('an unreachable or unstorable notice is not reported as delivered', async () => {
  await expect(sendWith({ stored: false, unreachable: 'push is off' })).rejects.toMatchObject({
    code: 'not_configured',
    message: expect.stringContaining('push is off'),
  })
  await expect(sendWith({ stored: false, reason: 'the disk is full' })).rejects.toMatchObject({
    code: 'storage_failed',
  })
})
