import { ok, type Result, reasonOf } from '@steward/contract'
import { checkSend } from './check-send.ts'
import type { Clock } from './clock.ts'
import type { DeliveryRules, LeasedMessage, QueueStore, SettledCounts } from './queue-store.ts'
import { type QueueOutcome, settleBatch } from './settle-batch.ts'

/** The worker that consumes a queue's messages, and its rules. */
export interface QueueConsumer extends DeliveryRules {
  queue: string
  worker: string
  maxBatchSize: number
  /** How long the first message of a batch waits for others. */
  maxBatchTimeoutMs: number
  /** The delay of a retry without its own. */
  retryDelaySeconds: number
}

export interface Delivered extends SettledCounts {
  queue: string
  worker: string
  outcome: string
}

export interface BrokerPorts {
  store: QueueStore
  clock: Clock
  deliver: (
    worker: string,
    queue: string,
    messages: readonly LeasedMessage[],
  ) => Promise<QueueOutcome>
  onDelivered: (delivered: Delivered) => void
  warn: (message: string) => void
}

export interface QueueBroker {
  /** Replaces the consumers; a batch in progress is settled by the rules of its lease. */
  set(consumers: readonly QueueConsumer[]): void
  /** Resolves when the batch is on disk, or with the reason why it was refused. */
  send(queue: string, request: unknown): Promise<Result<number>>
  /** Checks every queue again: another process may have added messages. */
  wake(): void
  /** Resolves when no batch is in progress. */
  idle(): Promise<void>
  /** Delivers nothing more; batches in progress finish. */
  stop(): void
}

/** How long to pause a queue whose worker could not be reached. */
const UNREACHABLE_DELAY_SECONDS = 5

interface Line {
  consumer: QueueConsumer
  cancelTimer: () => void
}

/** Delivers queued messages in batches, one batch per queue at a time. */
export const createQueueBroker = (ports: BrokerPorts): QueueBroker => {
  const { store, clock, deliver, onDelivered, warn } = ports
  const lines = new Map<string, Line>()
  const underWay = new Map<string, Promise<void>>()

  const look = (queue: string): void => {
    const line = lines.get(queue)
    if (line === undefined || underWay.has(queue)) return
    line.cancelTimer()
    line.cancelTimer = () => undefined
    const dueAtMs = nextDelivery(line.consumer)
    if (dueAtMs === undefined) return
    if (dueAtMs > clock.now()) {
      line.cancelTimer = clock.at(dueAtMs, () => look(queue))
      return
    }
    const batch = deliverBatch(line.consumer)
      .catch((thrown: unknown) => warn(`queue ${queue}: ${reasonOf(thrown)}`))
      .finally(() => {
        underWay.delete(queue)
        look(queue)
      })
    underWay.set(queue, batch)
  }

  /**
   * When to deliver the next batch: when it is full, or its first message has waited long enough.
   */
  const nextDelivery = ({ queue, maxBatchSize, maxBatchTimeoutMs }: QueueConsumer) => {
    const { ready, oldestReadyAtMs, nextDueAtMs } = store.backlog(queue, maxBatchSize)
    if (oldestReadyAtMs === undefined) return nextDueAtMs
    if (ready >= maxBatchSize) return clock.now()
    const timeoutAtMs = oldestReadyAtMs + maxBatchTimeoutMs
    // A message that becomes ready earlier may fill the batch.
    return Math.min(timeoutAtMs, nextDueAtMs ?? timeoutAtMs)
  }

  const deliverBatch = async (consumer: QueueConsumer): Promise<void> => {
    const { queue, worker, maxBatchSize } = consumer
    const messages = await store.lease(queue, maxBatchSize, consumer)
    if (messages.length === 0) return
    const report = await deliver(worker, queue, messages).catch((thrown: unknown) => {
      warn(`queue ${queue}: ${worker} could not be reached: ${reasonOf(thrown)}`)
      return UNREACHABLE
    })
    const settlements = settleBatch(messages, report, consumer.retryDelaySeconds)
    const counts = await store.settle(queue, settlements)
    onDelivered({ queue, worker, outcome: report.outcome, ...counts })
    if (consumer.deadLetterQueue !== undefined) look(consumer.deadLetterQueue)
  }

  return {
    set: (consumers) => {
      for (const { cancelTimer } of lines.values()) cancelTimer()
      lines.clear()
      for (const consumer of consumers) {
        const other = lines.get(consumer.queue)
        if (other !== undefined) {
          warn(
            `queue ${consumer.queue}: ${consumer.worker} receives nothing, because a queue has one consumer, which is ${other.consumer.worker}`,
          )
          continue
        }
        lines.set(consumer.queue, { consumer, cancelTimer: () => undefined })
      }
      for (const queue of lines.keys()) look(queue)
    },
    send: async (queue, request) => {
      const checked = checkSend(queue, request)
      if (!checked.ok) return checked
      if (checked.value.length > 0) await store.send(queue, checked.value)
      look(queue)
      return ok(checked.value.length)
    },
    wake: () => {
      for (const queue of lines.keys()) look(queue)
    },
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
    stop: () => {
      for (const { cancelTimer } of lines.values()) cancelTimer()
      lines.clear()
    },
  }
}

const UNREACHABLE: QueueOutcome = {
  outcome: 'unreachable',
  ackAll: false,
  retryBatch: { retry: true, delaySeconds: UNREACHABLE_DELAY_SECONDS },
  explicitAcks: [],
  retryMessages: [],
}
