import { LIMITS } from '@steward/contract'
import { runItems } from '../flow/run-items.ts'
import {
  type FeedMessageOutcome,
  isUncounted,
  keyOfMessage,
  type ProcessPorts,
  processFeedMessage,
} from './process-feed-message.ts'

/** A delivered message; each is settled separately. */
export interface FeedMessage {
  id: string
  body: unknown
  /** Deliveries, counted from 1. */
  attempts: number
  ack(): unknown
  /** `uncounted`: the message was not worked on, so a queue that can leaves its attempts alone. */
  retry(options: { delaySeconds: number; uncounted?: true }): unknown
}

/**
 * Processes a batch, several items concurrently; messages of the same item one after the other, so
 * that the second finds the first one's result. If the store fails it rejects, and the messages are
 * redelivered.
 */
export const processFeedBatch = async (
  messages: readonly FeedMessage[],
  ports: ProcessPorts,
  { concurrency = LIMITS.flowConcurrency }: { concurrency?: number } = {},
): Promise<{ id: string; outcome: FeedMessageOutcome }[]> => {
  const groups = Map.groupBy(messages, ({ id, body }) => keyOfMessage(body) ?? id)
  const settled = await runItems([...groups.values()], concurrency, async (group) => {
    const outcomes: { id: string; outcome: FeedMessageOutcome }[] = []
    for (const message of group) {
      const outcome = await processFeedMessage(message.body, message.attempts, ports)
      await (outcome.settle === 'ack'
        ? message.ack()
        : message.retry({
            delaySeconds: outcome.delaySeconds,
            ...isUncounted(outcome),
          }))
      outcomes.push({ id: message.id, outcome })
    }
    return outcomes
  })
  const broken = settled.find((result) => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return settled.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}
