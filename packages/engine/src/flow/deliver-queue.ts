import { type FlowQueueMessage, unwrap } from '@steward/contract'
import { type QueueProducer, sendAll } from '../queue/send-all.ts'
import type { Deliver } from './delivery.ts'

export type OpenProducer = (queue: string) => QueueProducer

/** One message per item; consumers deduplicate by flow and item. */
export const createQueueDelivery =
  (open: OpenProducer): Deliver<'queue'> =>
  async ({ queue }, { flow, item, output, now }) => {
    const body: FlowQueueMessage = {
      flow: flow.name,
      item: { id: item.id, title: item.title },
      fields: output,
      enqueued_at: now.toISOString(),
    }
    unwrap(await sendAll(open(queue), [{ body }]))
    return { queue, item: item.id }
  }
