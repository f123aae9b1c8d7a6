import { LIMITS, reasonOf, StewardError, toStewardError } from '@steward/contract'

/** One delivered message. `attempts` counts deliveries from 1. */
export interface DeliveredMessage<T = unknown> {
  id: string
  body: T
  attempts: number
  ack(): void
  retry(options: { delaySeconds: number }): void
}

export interface FailedMessage {
  id: string
  attempts: number
  /** Null if even the retry call failed; the queue then decides. */
  delaySeconds: number | null
  error: StewardError
}

export interface ConsumedBatch {
  acked: number
  retried: number
  failures: FailedMessage[]
}

type Process<T> = (body: T, message: DeliveredMessage<T>) => Promise<void>

/**
 * Processes a batch, `concurrency` messages at a time. Each message is acknowledged or retried
 * separately (spec 1, States and transitions); a failure never affects another.
 */
export const consumeBatch = async <T>(
  batch: { messages: readonly DeliveredMessage<T>[] },
  process: Process<T>,
  { concurrency = LIMITS.flowConcurrency }: { concurrency?: number } = {},
): Promise<ConsumedBatch> => {
  const failures: FailedMessage[] = []
  const waiting = batch.messages.values()
  const work = async () => {
    for (const message of waiting) {
      const failure = await settle(message, process)
      if (failure !== undefined) failures.push(failure)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work))
  return {
    acked: batch.messages.length - failures.length,
    retried: failures.filter(({ delaySeconds }) => delaySeconds !== null).length,
    failures,
  }
}

const FIRST_DELAY_SECONDS = 10
const LONGEST_DELAY_SECONDS = 3600

/** 10 s after the first delivery, doubling each time, at most an hour. */
export const retryDelaySeconds = (attempts: number): number =>
  Math.min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (Math.max(1, attempts) - 1))

const settle = async <T>(
  message: DeliveredMessage<T>,
  process: Process<T>,
): Promise<FailedMessage | undefined> => {
  try {
    await process(message.body, message)
    message.ack()
    return undefined
  } catch (thrown) {
    return giveBack(message, toStewardError(thrown))
  }
}

const giveBack = <T>(message: DeliveredMessage<T>, error: StewardError): FailedMessage => {
  const { id, attempts } = message
  const delaySeconds = retryDelaySeconds(attempts)
  try {
    message.retry({ delaySeconds })
    return { id, attempts, delaySeconds, error }
  } catch (thrown) {
    const reason = `${error.message}; returning it to the queue failed too: ${reasonOf(thrown)}`
    return {
      id,
      attempts,
      delaySeconds: null,
      error: new StewardError('internal', { reason }, error),
    }
  }
}
