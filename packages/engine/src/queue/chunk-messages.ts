import { fail, LIMITS, ok, type Result, reasonOf, StewardError } from '@steward/contract'

/** A queue message. The body must be JSON. */
export interface QueueMessage<T = unknown> {
  body: T
  delaySeconds?: number
}

/** Splits messages, in order, into batches for `sendBatch()`: by count and by JSON bytes. */
export const chunkMessages = <T>(
  messages: readonly QueueMessage<T>[],
): Result<QueueMessage<T>[][]> => {
  const batches: QueueMessage<T>[][] = []
  let batch: QueueMessage<T>[] = []
  let batchBytes = 0
  for (const [index, message] of messages.entries()) {
    const measured = measure(message.body, index)
    if (!measured.ok) return measured
    const full =
      batch.length === LIMITS.queueBatchMessages ||
      batchBytes + measured.value > LIMITS.queueBatchBytes
    if (full) {
      batches.push(batch)
      batch = []
      batchBytes = 0
    }
    batch.push(message)
    batchBytes += measured.value
  }
  if (batch.length > 0) batches.push(batch)
  return ok(batches)
}

const encoder = new TextEncoder()

const measure = (body: unknown, index: number): Result<number> => {
  const subject = `queue message ${index}`
  const text = toJson(body)
  if (!text.ok) {
    return fail(new StewardError('invalid_input', { subject, reason: text.reason, index }))
  }
  const bytes = encoder.encode(text.json).length + LIMITS.queueMessageOverheadBytes
  if (bytes <= LIMITS.queueMessageBytes) return ok(bytes)
  const limit = LIMITS.queueMessageBytes
  return fail(new StewardError('payload_too_large', { subject, bytes, limit, index }))
}

const toJson = (body: unknown): { ok: true; json: string } | { ok: false; reason: string } => {
  try {
    const json: string | undefined = JSON.stringify(body)
    if (json !== undefined) return { ok: true, json }
    return { ok: false, reason: `the body is ${typeof body}, which JSON cannot represent` }
  } catch (thrown) {
    return { ok: false, reason: `the body cannot be written as JSON: ${reasonOf(thrown)}` }
  }
}
