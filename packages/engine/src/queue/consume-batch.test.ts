import { StewardError } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { consumeBatch, retryDelaySeconds } from './consume-batch.ts'

const deliver = (plan: readonly { fails: boolean; attempts: number }[]) => {
  const settled = new Map<string, string[]>()
  const messages = plan.map(({ fails, attempts }, index) => {
    const id = `m${index}`
    const calls: string[] = []
    settled.set(id, calls)
    return {
      id,
      body: { fails },
      attempts,
      ack: () => void calls.push('ack'),
      retry: ({ delaySeconds }: { delaySeconds: number }) =>
        void calls.push(`retry ${delaySeconds}`),
    }
  })
  return { messages, settled }
}

const plan = fc.array(
  fc.record({ fails: fc.boolean(), attempts: fc.integer({ min: 1, max: 100 }) }),
  {
    maxLength: 100,
  },
)

test('each message is settled exactly once, by its own outcome', async () => {
  await fc.assert(
    fc.asyncProperty(plan, fc.integer({ min: 1, max: 12 }), async (messagesPlan, concurrency) => {
      const batch = deliver(messagesPlan)
      const summary = await consumeBatch(
        batch,
        async ({ fails }) => {
          if (fails) throw new Error('broken')
        },
        { concurrency },
      )
      const settled = [...batch.settled.values()]
      expect(settled).toEqual(
        messagesPlan.map(({ fails, attempts }) => [
          fails ? `retry ${retryDelaySeconds(attempts)}` : 'ack',
        ]),
      )
      const failing = messagesPlan.filter(({ fails }) => fails).length
      expect(summary).toMatchObject({ acked: messagesPlan.length - failing, retried: failing })
      expect(summary.failures).toHaveLength(failing)
    }),
  )
})

test('never more than `concurrency` at once, and as many if there is enough work', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 8, max: 40 }),
      async (concurrency, count) => {
        let running = 0
        let most = 0
        const batch = deliver(Array.from({ length: count }, () => ({ fails: false, attempts: 1 })))
        await consumeBatch(
          batch,
          async () => {
            running += 1
            most = Math.max(most, running)
            await Promise.resolve()
            running -= 1
          },
          { concurrency },
        )
        expect(most).toBe(concurrency)
      },
    ),
  )
})

test('the delay doubles from ten seconds up to an hour', () => {
  expect([1, 2, 3, 4, 9, 10, 100].map(retryDelaySeconds)).toEqual([
    10, 20, 40, 80, 2560, 3600, 3600,
  ])
})

test('the summary keeps the errors', async () => {
  const batch = deliver([{ fails: true, attempts: 3 }])
  const summary = await consumeBatch(batch, () => {
    throw new StewardError('rate_limited', { service: 'example', reason: 'slow down' })
  })
  expect(summary.failures).toMatchObject([
    { id: 'm0', attempts: 3, delaySeconds: 40, error: { code: 'rate_limited' } },
  ])
})

test('a queue that fails to settle one message does not affect the others', async () => {
  const batch = deliver(Array.from({ length: 3 }, () => ({ fails: false, attempts: 1 })))
  const refuse = () => {
    throw new Error('gone')
  }
  const [first, second, third] = batch.messages
  if (!first || !second || !third) throw new Error('three messages expected')
  const messages = [{ ...first, ack: refuse }, { ...second, ack: refuse, retry: refuse }, third]
  const summary = await consumeBatch({ messages }, async () => undefined, { concurrency: 1 })
  expect([...batch.settled.values()]).toEqual([['retry 10'], [], ['ack']])
  expect(summary).toMatchObject({ acked: 1, retried: 1 })
  expect(summary.failures[1]?.error.message).toContain('returning it to the queue failed too: gone')
})

test('an empty batch does nothing', async () => {
  const summary = await consumeBatch({ messages: [] }, async () => undefined)
  expect(summary).toEqual({ acked: 0, retried: 0, failures: [] })
})
