import type { LeasedMessage, QueueStore, SettledCounts } from '@steward/edge'
import { type Database, openDatabase } from '@steward/platform'
import {
  createQueue,
  createQueueInventory,
  QUEUE_MIGRATIONS,
  type QueueInventory,
  type ReceivedMessage,
} from '@steward/runner'

/** The embedded durable queue as the local edge takes it. */
export interface EdgeQueues {
  store: QueueStore
  inventory: QueueInventory
  close(): Promise<void>
}

export const openEdgeQueues = (path: string, now: () => number): EdgeQueues => {
  const database = openDatabase(path, { migrations: QUEUE_MIGRATIONS })
  const inventory = createQueueInventory(database, now)
  return { store: adapt(database, inventory, now), inventory, close: database.close }
}

const adapt = (database: Database, inventory: QueueInventory, now: () => number): QueueStore => {
  const leased = new Map<string, ReceivedMessage>()
  return {
    send: (queue, messages) => createQueue(database, queue, { now }).sendBatch(messages),
    lease: async (queue, max, { maxRetries, deadLetterQueue }) => {
      const options = { now, maxRetries, ...(deadLetterQueue ? { deadLetterQueue } : {}) }
      const received = await createQueue(database, queue, options).receive(max)
      for (const message of received) leased.set(message.id, message)
      return received.map(
        ({ id, body, sentAt, attempts }): LeasedMessage => ({
          id,
          body,
          sentAtMs: sentAt,
          attempts,
        }),
      )
    },
    settle: async (_, settlements) => {
      const counts: SettledCounts = { acked: 0, retried: 0, deadLettered: 0, dropped: 0 }
      await Promise.all(
        settlements.map(async (settlement) => {
          const message = leased.get(settlement.id)
          leased.delete(settlement.id)
          if (message === undefined) return
          if (settlement.outcome === 'ack') {
            if (await message.ack()) counts.acked += 1
            return
          }
          const outcome = await message.retry({ delaySeconds: settlement.delaySeconds })
          if (outcome === 'requeued') counts.retried += 1
          if (outcome === 'dead-lettered') counts.deadLettered += 1
          if (outcome === 'dropped') counts.dropped += 1
        }),
      )
      return counts
    },
    backlog: (queue, max) => {
      const { ready, oldestReadyAt, nextDueAt } = inventory.backlog(queue, max)
      return { ready, oldestReadyAtMs: oldestReadyAt, nextDueAtMs: nextDueAt }
    },
  }
}
