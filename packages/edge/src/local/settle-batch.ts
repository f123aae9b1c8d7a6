import { z } from 'zod'
import { isDelay } from './check-send.ts'
import type { LeasedMessage, Settlement } from './queue-store.ts'

/** Workerd's report of one delivered batch. */
export const queueOutcome = z.object({
  outcome: z.string(),
  ackAll: z.boolean(),
  retryBatch: z.object({ retry: z.boolean(), delaySeconds: z.number().optional() }),
  explicitAcks: z.array(z.string()),
  retryMessages: z.array(z.object({ msgId: z.string(), delaySeconds: z.number().optional() })),
})
export type QueueOutcome = z.infer<typeof queueOutcome>

/**
 * How each message is settled, by the platform's rules: an explicit ack or retry of the message
 * wins, then one of the whole batch (even if the handler throws), then whether the handler
 * returned.
 */
export const settleBatch = (
  messages: readonly LeasedMessage[],
  report: QueueOutcome,
  retryDelaySeconds: number,
): Settlement[] => {
  const acked = new Set(report.explicitAcks)
  const retried = new Map(report.retryMessages.map((each) => [each.msgId, each.delaySeconds]))
  const retry = (id: string, delay: number | undefined): Settlement => ({
    id,
    outcome: 'retry',
    delaySeconds: delay !== undefined && isDelay(delay) ? delay : retryDelaySeconds,
  })
  return messages.map(({ id }) => {
    if (acked.has(id)) return { id, outcome: 'ack' }
    if (retried.has(id)) return retry(id, retried.get(id))
    if (report.ackAll) return { id, outcome: 'ack' }
    if (report.retryBatch.retry) return retry(id, report.retryBatch.delaySeconds)
    return report.outcome === 'ok' ? { id, outcome: 'ack' } : retry(id, undefined)
  })
}
