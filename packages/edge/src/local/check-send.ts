import { fail, LIMITS, ok, type Result, StewardError } from '@steward/contract'
import { z } from 'zod'
import type { OutgoingMessage } from './queue-store.ts'

/** The request of the queue binding inside a worker: bodies already as JSON text. */
const request = z.object({
  messages: z.array(z.object({ json: z.string(), delaySeconds: z.number().optional() })),
  delaySeconds: z.number().optional(),
})

/**
 * Checks a batch against the queue platform's limits; every error names the limit and the remedy.
 */
export const checkSend = (queue: string, sent: unknown): Result<OutgoingMessage[]> => {
  const parsed = request.safeParse(sent)
  if (!parsed.success) return refuse(`queue ${queue}`, 'the batch is malformed')
  const { messages, delaySeconds: batchDelay = 0 } = parsed.data
  if (messages.length > LIMITS.queueBatchMessages) {
    return refuse(
      `queue ${queue}`,
      `${messages.length} messages in one sendBatch; the limit is ${LIMITS.queueBatchMessages}: send them in chunks`,
    )
  }
  let batchBytes = 0
  const checked: OutgoingMessage[] = []
  for (const [index, { json, delaySeconds = batchDelay }] of messages.entries()) {
    const subject = `message ${index + 1} for queue ${queue}`
    const bytes = Buffer.byteLength(json) + LIMITS.queueMessageOverheadBytes
    if (bytes > LIMITS.queueMessageBytes) {
      return tooLarge(subject, bytes, LIMITS.queueMessageBytes)
    }
    if (!isDelay(delaySeconds)) {
      return refuse(
        subject,
        `delaySeconds is ${delaySeconds}; use a whole number from 0 to ${LIMITS.queueDelaySeconds}`,
      )
    }
    batchBytes += bytes
    checked.push({ body: JSON.parse(json), delaySeconds })
  }
  if (batchBytes > LIMITS.queueBatchBytes) {
    return tooLarge(`the batch for queue ${queue}`, batchBytes, LIMITS.queueBatchBytes)
  }
  return ok(checked)
}

/** The error message for the worker that sent it, with the remedy. */
export const explainRefusal = ({ message, code, remedy }: StewardError): string =>
  code === 'payload_too_large' ? `${message}. ${remedy}` : message

export const isDelay = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= LIMITS.queueDelaySeconds

const refuse = (subject: string, reason: string) =>
  fail(new StewardError('invalid_input', { subject, reason }))

const tooLarge = (subject: string, bytes: number, limit: number) =>
  fail(new StewardError('payload_too_large', { subject, bytes, limit }))
