import { deadLetterQueueOf } from '@steward/contract'
import type { Home } from '@steward/platform'
import type { QueueInventory } from '@steward/runner'
import { edgeStateOf } from './edge-state.ts'
import { openEdgeQueues } from './queue-store.ts'
import { readWorkerDirectories } from './worker-directory.ts'

export interface QueueView {
  inventory: QueueInventory
  now: () => number
  /** Queues that have messages or are used by a worker. */
  names: string[]
  /** The worker that consumes a queue's messages, by queue. */
  consumers: ReadonlyMap<string, string>
  deadLetterQueueOf: (queue: string) => string
  close: () => Promise<void>
}

export interface QueueLine {
  queue: string
  /** The worker that consumes its messages. */
  consumer: string | null
  ready: number
  delayed: number
  leased: number
  /** Messages in its dead letter queue. */
  dead: number
  /** When the oldest message was sent. */
  oldest: string | null
}

/** Opens the queues of the local edge, whether it is running or not. */
export const openQueueView = async (home: Home, now: () => number): Promise<QueueView> => {
  const state = edgeStateOf(home)
  const { workersFolder, virtualNow } = await state.read()
  // Times in the queues are those of the edge's clock.
  const edgeNow = virtualNow === null ? now : () => Date.parse(virtualNow)
  const { workers } =
    workersFolder === undefined ? { workers: [] } : await readWorkerDirectories(workersFolder)
  const { inventory, close } = openEdgeQueues(state.queueDatabase, edgeNow)
  const deadLetters = new Map<string, string>()
  const consumers = new Map<string, string>()
  const used = new Set(inventory.names())
  for (const { worker, configuration } of workers) {
    for (const { queue, dead_letter_queue } of configuration.queues.consumers) {
      used.add(queue)
      consumers.set(queue, worker)
      if (dead_letter_queue !== undefined) deadLetters.set(queue, dead_letter_queue)
    }
    for (const { queue } of configuration.queues.producers) used.add(queue)
  }
  return {
    inventory,
    now: edgeNow,
    names: [...used].toSorted(),
    consumers,
    deadLetterQueueOf: (queue) => deadLetters.get(queue) ?? deadLetterQueueOf(queue),
    close,
  }
}

export const describeQueues = (view: QueueView): QueueLine[] =>
  view.names.map((queue) => {
    const { ready, delayed, leased, oldestSentAt } = view.inventory.stock(queue)
    const dead = view.inventory.stock(view.deadLetterQueueOf(queue))
    return {
      queue,
      consumer: view.consumers.get(queue) ?? null,
      ready,
      delayed,
      leased,
      dead: dead.ready + dead.delayed + dead.leased,
      oldest: oldestSentAt === undefined ? null : new Date(oldestSentAt).toISOString(),
    }
  })
