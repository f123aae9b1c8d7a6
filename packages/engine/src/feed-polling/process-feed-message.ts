import {
  describeIssues,
  type FeedQueueMessage,
  fail,
  feedQueueMessage,
  isJsonObject,
  issuesOf,
  type JsonObject,
  ok,
  type Result,
  StewardError,
  toStewardError,
} from '@steward/contract'
import { classifyFailure, isRejection } from '../flow/classify-failure.ts'
import { itemFromFeed } from '../flow/item.ts'
import { retryDelaySeconds } from '../queue/consume-batch.ts'
import type { FeedItemStore } from './ports.ts'

export interface ProcessPorts {
  items: FeedItemStore
  /**
   * Processes one item: the pipeline, and the destination unless that is the table itself. The same
   * `failures` means the same attempt, which a dead consumer may have started.
   */
  pipeline: (payload: JsonObject, work: FeedItemWork) => Promise<JsonObject>
  now: () => number
  /** When the only process that consumes these items started: earlier claims are of dead processes. */
  startedAtMs?: number
  signal?: AbortSignal
}

export interface FeedItemWork {
  message: FeedQueueMessage
  attempts: number
  failures: number
}

/** How to settle the message. An `error` with `ack` says why the item was rejected. */
export type FeedMessageOutcome =
  | { settle: 'ack'; result: 'processed' | 'duplicate' | 'filtered' }
  | { settle: 'ack'; result: 'rejected'; error: StewardError }
  | {
      settle: 'retry'
      result: 'failed' | 'held' | 'malformed'
      delaySeconds: number
      error: StewardError
    }

/** A held item was not worked on, and an error of the configuration is not one of the item. */
export const isUncounted = (outcome: FeedMessageOutcome): { uncounted?: true } =>
  outcome.settle === 'retry' &&
  (outcome.result === 'held' || classifyFailure(outcome.error) === 'configuration')
    ? { uncounted: true }
    : {}

/** How long one consumer may work on an item before another may take over. */
export const CLAIM_MS = 10 * 60_000

/**
 * One message of F_FEEDS_PROCESSOR. The table decides: a finished item is only acknowledged, and
 * one that another consumer holds waits, so that an item is processed once however often it is
 * delivered. `attempts` is the delivery count from 1.
 */
export const processFeedMessage = async (
  body: unknown,
  attempts: number,
  { items, pipeline, now, signal, startedAtMs }: ProcessPorts,
): Promise<FeedMessageOutcome> => {
  const parsed = feedQueueMessage.safeParse(body)
  if (!parsed.success) {
    const reason = describeIssues(issuesOf(parsed.error))
    const error = new StewardError('invalid_input', { subject: 'the queue message', reason })
    // It cannot be processed; as a dead letter it is at least visible.
    return { settle: 'retry', result: 'malformed', delaySeconds: 0, error }
  }
  const message = parsed.data
  const key = { feedUrl: message.feed_url, itemId: message.item.id }
  const claimedMs = now()
  const claim = await items.claim(message, {
    nowMs: claimedMs,
    untilMs: claimedMs + CLAIM_MS,
    ...(startedAtMs === undefined ? {} : { endedBeforeMs: startedAtMs + CLAIM_MS }),
  })
  if (claim.kind === 'settled') return { settle: 'ack', result: 'duplicate' }
  if (claim.kind === 'held') return waitFor(claim.untilMs, claimedMs)

  const { attempts: claimed, failures } = claim
  const done = await attempt(() =>
    pipeline(itemFromFeed(message.item).payload, { message, attempts: claimed, failures }),
  )
  if (done.ok) {
    await items.settle(key, claimed, { status: 'processed', output: done.value }, now())
    return { settle: 'ack', result: 'processed' }
  }
  const { error } = done
  if (isRejection(error)) {
    await items.settle(key, claimed, { status: 'rejected', error: error.message }, now())
    // The table has no status of its own for these; the error says so.
    if (error.code === 'item_filtered') return { settle: 'ack', result: 'filtered' }
    return { settle: 'ack', result: 'rejected', error }
  }
  // An abort is not a failure of the item.
  const reason = signal?.aborted ? null : error.message
  await items.settle(key, claimed, { status: 'ingested', error: reason }, now())
  const delaySeconds = delayAfter(error, attempts, now())
  return { settle: 'retry', result: 'failed', delaySeconds, error }
}

const attempt = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
  try {
    return ok(await work())
  } catch (thrown) {
    return fail(toStewardError(thrown))
  }
}

const waitFor = (untilMs: number, nowMs: number): FeedMessageOutcome => {
  const delaySeconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
  const error = new StewardError('run_active', {
    subject: 'the item',
    reason: 'another consumer works on it',
  })
  return { settle: 'retry', result: 'held', delaySeconds, error }
}

const DAY_MS = 86_400_000

/** The longest delay of a queue. */
const LONGEST_DELAY_SECONDS = 12 * 3600

/**
 * A used-up budget is available again the next day (UTC), and a service may say when it can be
 * called again; everything else is retried sooner.
 */
export const delayAfter = (error: StewardError, attempts: number, nowMs: number): number => {
  if (error.code === 'budget_exceeded') return Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000)
  const { retryAfterSeconds } = error.details
  const asked = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 0
  return Math.min(LONGEST_DELAY_SECONDS, Math.max(asked, retryDelaySeconds(attempts)))
}

/** Equal for two messages of the same item. */
export const keyOfMessage = (body: unknown): string | undefined => {
  if (!isJsonObject(body) || !isJsonObject(body.item)) return undefined
  return JSON.stringify([body.feed_url, body.item.id])
}
