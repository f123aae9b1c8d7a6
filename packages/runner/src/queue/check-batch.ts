import { LIMITS, reasonOf, StewardError } from '@steward/contract'
import type { QueueMessage } from '@steward/engine'

export interface CheckedMessage {
  text: string
  delaySeconds: number
}

/**
 * Serialises a batch and checks the platform's limits; a batch that violates any is not sent at
 * all.
 */
export const checkBatch = (
  queue: string,
  messages: readonly QueueMessage[],
  batchDelaySeconds: number,
): CheckedMessage[] => {
  if (messages.length > LIMITS.queueBatchMessages) {
    const reason = `${messages.length} messages in one batch; send at most ${LIMITS.queueBatchMessages} at a time`
    throw new StewardError('invalid_input', { subject: `queue ${queue}`, reason })
  }
  let batchBytes = 0
  const checked = messages.map(({ body, delaySeconds = batchDelaySeconds }, index) => {
    const subject = `message ${index + 1} for queue ${queue}`
    const text = toText(subject, body)
    const bytes = Buffer.byteLength(text) + LIMITS.queueMessageOverheadBytes
    checkSize(subject, bytes, LIMITS.queueMessageBytes)
    batchBytes += bytes
    return { text, delaySeconds: checkDelay(subject, delaySeconds) }
  })
  checkSize(`the batch for queue ${queue}`, batchBytes, LIMITS.queueBatchBytes)
  return checked
}

/** Whole seconds, up to the platform's maximum. */
export const checkDelay = (subject: string, delaySeconds: number): number => {
  const isAllowed =
    Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= LIMITS.queueDelaySeconds
  if (isAllowed) return delaySeconds
  const reason = `delaySeconds is ${delaySeconds}; use a whole number from 0 to ${LIMITS.queueDelaySeconds}`
  throw new StewardError('invalid_input', { subject, reason, field: 'delaySeconds' })
}

const checkSize = (subject: string, bytes: number, limit: number): void => {
  if (bytes > limit) throw new StewardError('payload_too_large', { subject, bytes, limit })
}

const toText = (subject: string, body: unknown): string => {
  try {
    const text: string | undefined = JSON.stringify(body)
    if (text !== undefined) return text
  } catch (thrown) {
    const reason = `its body is not JSON: ${reasonOf(thrown)}`
    throw new StewardError('invalid_input', { subject, reason, field: 'body' }, thrown)
  }
  const reason = `its body is ${typeof body}, which JSON cannot represent`
  throw new StewardError('invalid_input', { subject, reason, field: 'body' })
}
