import { type Database, openDatabase } from '@steward/platform'
import {
  createQueue,
  createQueueInventory,
  QUEUE_MIGRATIONS,
  type QueueInventory,
  type ReceivedMessage,
} from '@steward/runner'

/** A message to send; its body is JSON. */
export interface OutgoingMessage {
  body: unknown
  delaySeconds: number
}

export interface LeasedMessage {
  id: string
  body: unknown
  sentAtMs: number
  /** The delivery count, from 1. */
  attempts: number
}

/** The outcome of one delivered message. */
export type Settlement =
  | { id: string; outcome: 'ack' }
  | { id: string; outcome: 'retry'; delaySeconds: number }

/** When and where a queue gives up on messages. */
export interface DeliveryRules {
  /** Deliveries after the first. */
  maxRetries: number
  /** Without one, such messages are dropped, as on the platform. */
  deadLetterQueue: string | undefined
}

interface QueueBacklog {
  /** Messages that can be delivered now, counted up to the requested `max`. */
  ready: number
  /** Since when the oldest ready message could be delivered. */
  oldestReadyAtMs: number | undefined
  /** When the next delayed message becomes ready. */
  nextDueAtMs: number | undefined
}

export interface SettledCounts {
  acked: number
  retried: number
  deadLettered: number
  dropped: number
}

/**
 * Durable queues: acknowledged messages are on disk, and messages leased by a process that ended are
 * delivered again.
 */
export interface QueueStore {
  /** All or nothing. */
  send(queue: string, messages: readonly OutgoingMessage[]): Promise<void>
  lease(queue: string, max: number, rules: DeliveryRules): Promise<LeasedMessage[]>
  settle(queue: string, settlements: readonly Settlement[]): Promise<SettledCounts>
  backlog(queue: string, max: number): QueueBacklog
}

/** The durable queues of the local edge, in one SQLite database. */
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
