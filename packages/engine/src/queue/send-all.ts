import { fail, ok, type Result, toStewardError } from '@steward/contract'
import { chunkMessages, type QueueMessage } from './chunk-messages.ts'

/** The producer side of a queue binding. */
export interface QueueProducer<T = unknown> {
  sendBatch(messages: QueueMessage<T>[]): Promise<unknown>
}

/**
 * Enqueues any number of messages in as few batches as the limits allow. Sends nothing if one is
 * too large. If a batch fails, the error's `sent` says how many messages, from the first on, are
 * queued.
 */
export const sendAll = async <T>(
  queue: QueueProducer<T>,
  messages: readonly QueueMessage<T>[],
): Promise<Result<{ sent: number; batches: number }>> => {
  const chunks = chunkMessages(messages)
  if (!chunks.ok) return chunks
  let sent = 0
  for (const batch of chunks.value) {
    try {
      await queue.sendBatch(batch)
    } catch (thrown) {
      return fail(toStewardError(thrown, 'upstream_failed', { service: 'the queue', sent }))
    }
    sent += batch.length
  }
  return ok({ sent, batches: chunks.value.length })
}
