import {
  type FeedItem,
  type FeedQueueMessage,
  type StewardError,
  toStewardError,
} from '@steward/contract'
import { chunkMessages } from '../queue/chunk-messages.ts'
import type { QueueProducer } from '../queue/send-all.ts'
import { toQueueMessage } from './fit-message.ts'

export interface EnqueuedItems {
  /** From the first on, those that are in the queue. */
  enqueued: FeedItem[]
  truncated: number
  /** Why the rest is not, when that was the queue's doing. */
  error?: StewardError
}

/** Enqueues items in order, in at most `maxBatches` batches; the rest is the next poll's. */
export const enqueueItems = async (
  queue: QueueProducer<FeedQueueMessage>,
  feedUrl: string,
  items: readonly FeedItem[],
  nowMs: number,
  maxBatches: number,
): Promise<EnqueuedItems> => {
  const messages = items.map((item) => ({ body: toQueueMessage(feedUrl, item, nowMs) }))
  const chunks = chunkMessages(messages)
  if (!chunks.ok) return { enqueued: [], truncated: 0, error: chunks.error }
  let count = 0
  const result = (error?: StewardError): EnqueuedItems => ({
    enqueued: items.slice(0, count),
    truncated: messages.slice(0, count).filter(({ body }) => body.truncated).length,
    ...(error === undefined ? {} : { error }),
  })
  for (const batch of chunks.value.slice(0, Math.max(0, maxBatches))) {
    try {
      await queue.sendBatch(batch)
    } catch (thrown) {
      return result(toStewardError(thrown, 'upstream_failed', { service: 'the queue' }))
    }
    count += batch.length
  }
  return result()
}
