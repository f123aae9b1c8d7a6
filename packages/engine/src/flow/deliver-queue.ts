import { type FlowQueueMessage, type JsonObject, unwrap } from '@steward/contract'
import { type QueueProducer, sendAll } from '../queue/send-all.ts'
import type { Deliver } from './delivery.ts'
import type { FlowItem } from './item.ts'

export type OpenProducer = (queue: string) => QueueProducer

/** One message per item; consumers deduplicate by flow and item. */
export const createQueueDelivery =
  (open: OpenProducer): Deliver<'queue'> =>
  async ({ queue }, { flow, item, output, now }) => {
    await enqueueItem(open(queue), { flow: flow.name, item, fields: output, now })
    return { queue, item: item.id }
  }

/** Sends an item of a flow, or one that a person gave to the flow that reads the queue. */
export const enqueueItem = async (
  producer: QueueProducer,
  {
    flow,
    item,
    fields,
    now,
  }: { flow: string; item: Pick<FlowItem, 'id' | 'title'>; fields: JsonObject; now: Date },
): Promise<void> => {
  const { id, title } = item
  const body: FlowQueueMessage = {
    flow,
    item: { id, title },
    fields,
    enqueued_at: now.toISOString(),
  }
  unwrap(await sendAll(producer, [{ body }]))
}
