import {
  deadLetterQueueOf,
  destinationsOf,
  type FlowEntry,
  type JsonObject,
  type QueueMessageView,
  type QueueView,
  StewardError,
  sourcesOf,
} from '@steward/contract'
import type { QueueInventory, StoredMessage } from '@steward/runner'

/** Messages shown per queue. */
const SHOWN = 20

interface Known {
  sentBy: string[]
  takenBy: string[]
  deadLetterQueue: string | null
}

/**
 * Queues that flows use or that contain messages; dead letters are shown with their original queue.
 */
export const listQueues = async (
  flows: readonly FlowEntry[],
  inventory: QueueInventory,
  redact: (messages: readonly JsonObject[]) => Promise<JsonObject[]>,
): Promise<{ queues: QueueView[] }> => {
  const toView = (
    { sentAt, body: _, ...message }: StoredMessage,
    clean: JsonObject | undefined,
  ): QueueMessageView => ({
    ...message,
    body: clean?.body,
    sentAt: new Date(sentAt).toISOString(),
  })
  const peek = async (queue: string | null): Promise<QueueMessageView[]> => {
    const messages = queue === null ? [] : inventory.peek(queue, SHOWN)
    const clean = await redact(messages.map(({ body }) => ({ body })))
    return messages.map((message, index) => toView(message, clean[index]))
  }
  const known = readEnds(flows)
  const dead = new Set([...known.values()].map(({ deadLetterQueue }) => deadLetterQueue))
  for (const name of inventory.names()) {
    if (!known.has(name) && !dead.has(name)) known.set(name, noEnds())
  }
  const queues: QueueView[] = []
  for (const [queue, ends] of known) {
    queues.push({
      ...countQueue(queue, ends, inventory),
      messages: await peek(queue),
      deadLetters: await peek(ends.deadLetterQueue),
    })
  }
  return { queues: queues.toSorted((one, other) => (one.queue < other.queue ? -1 : 1)) }
}

/** Moves dead letters back into their queue; refused if no flow consumes it. */
export const retryDeadLetters = async (
  queue: string,
  flows: readonly FlowEntry[],
  inventory: QueueInventory,
): Promise<{ moved: number }> => {
  const from = readEnds(flows).get(queue)?.deadLetterQueue
  if (from === undefined || from === null) {
    throw new StewardError('not_found', { what: 'flow with the source queue', name: queue })
  }
  return { moved: await inventory.moveAll(from, queue) }
}

const noEnds = (): Known => ({ sentBy: [], takenBy: [], deadLetterQueue: null })

const readEnds = (flows: readonly FlowEntry[]): Map<string, Known> => {
  const known = new Map<string, Known>()
  const endsOf = (queue: string): Known => {
    const ends = known.get(queue) ?? noEnds()
    known.set(queue, ends)
    return ends
  }
  for (const flow of flows) {
    const { name } = flow
    for (const destination of destinationsOf(flow)) {
      if (destination.type === 'queue') endsOf(destination.queue).sentBy.push(name)
    }
    const [source] = sourcesOf(flow)
    if (source.type !== 'queue') continue
    const ends = endsOf(source.queue)
    ends.takenBy.push(name)
    ends.deadLetterQueue ??= source.deadLetterQueue ?? deadLetterQueueOf(source.queue)
  }
  return known
}

const countQueue = (queue: string, ends: Known, inventory: QueueInventory) => {
  const { ready, delayed, leased, oldestSentAt } = inventory.stock(queue)
  const lost = ends.deadLetterQueue === null ? undefined : inventory.stock(ends.deadLetterQueue)
  return {
    queue,
    ...ends,
    ready,
    delayed,
    leased,
    oldestSentAt: oldestSentAt === undefined ? null : new Date(oldestSentAt).toISOString(),
    dead: lost === undefined ? 0 : lost.ready + lost.delayed + lost.leased,
  }
}
