import {
  destinationsOf,
  type FeedQueueMessage,
  type FlowDestination,
  type FlowEntry,
  type FlowRunSummary,
  flowQueueMessage,
  type JsonObject,
  LIMITS,
  type Spend,
  toStewardError,
} from '@steward/contract'
import {
  createFeedItemStore,
  deliverEverywhere,
  destinationKeys,
  FEED_ITEMS_MIGRATIONS,
  type FeedItemStore,
  type FeedItemWork,
  type FeedMessage,
  type FeedMessageOutcome,
  type ItemOutcome,
  keyOfMessage,
  NO_SPEND,
  processFeedBatch,
  recordError,
  summarise,
  sumSpend,
} from '@steward/engine'
import { findD1, seekQueue } from '../bindings.ts'
import type { Invocation } from './invocation.ts'
import { createTables, openLedger } from './open-ledger.ts'
import { readConsumerStart } from './read-clock.ts'
import { deliverItem, processItem } from './work-item.ts'

export interface QueueBatch {
  queue: string
  messages: readonly FeedMessage[]
}

/**
 * Processes a batch: each message is claimed in the database, run through the pipeline, delivered,
 * and acknowledged or retried separately (spec 1, Events: queue message batch).
 */
export const consumeQueue = async (
  flow: FlowEntry,
  batch: QueueBatch,
  invocation: Invocation,
): Promise<FlowRunSummary> => {
  const { runId, startedAt, now } = invocation
  let spend = NO_SPEND
  const onSpend = (part: Spend) => {
    spend = sumSpend([spend, part])
  }
  const messages = batch.messages
    .map((message) => withFreeRetries(message, batch.queue, invocation))
    .map(withFeedBody)
  const fieldsOf = new Map(messages.flatMap(({ fields, key }) => (fields ? [[key, fields]] : [])))
  const ledger = await openLedger(flow.id, invocation)
  const keys = messages.map(({ message }) => keyOfMessage(message.body) ?? message.id)
  const follow =
    flow.pipeline === undefined
      ? undefined
      : await ledger.steps.read(keys, () => invocation.remaining() > 0)
  const pipeline = async (payload: JsonObject, { message, attempts }: FeedItemWork) => {
    const { id, title } = message.item
    const own = fieldsOf.get(keyOf(message))
    const item = { id, title, payload: own ?? payload }
    const key = keyOf(message)
    const stored = await ledger.outputOf(key)
    const output =
      stored ?? (await processItem({ flow, item, id: key, follow }, invocation, onSpend))
    const destinations = destinationsOf(flow)
    if (destinations.every(isItemTable)) return output
    const run = { runId, atMs: now() }
    if (stored === null) {
      await ledger.add([{ ...item, id: key }], run)
      await ledger.change(key, { state: 'processed', output }, run)
    }
    const again = attempts > 1
    await deliverEverywhere(key, destinationKeys(flow), ledger, async (place) => {
      const destination = destinations[place]
      if (destination === undefined || isItemTable(destination)) return
      await deliverItem({ flow, item, again, place }, output, invocation, onSpend)
    }).catch(async (thrown: unknown) => {
      const error = recordError(toStewardError(thrown))
      await ledger.change(key, { state: 'waiting', error }, run)
      throw thrown
    })
    await ledger.change(key, { state: 'delivered' }, run)
    return output
  }
  const outcomes = await processFeedBatch(
    messages.map(({ message }) => message),
    {
      items: await openItems(invocation),
      pipeline,
      now,
      ...(await readConsumerStart(invocation.env)),
    },
    { concurrency: flow.concurrency ?? LIMITS.flowConcurrency },
  )
  const settled = new Set(
    outcomes.flatMap(({ id, outcome }) => (outcome.settle === 'ack' ? [id] : [])),
  )
  const done = keys.filter((_, index) => settled.has(messages[index]?.message.id ?? ''))
  await Promise.all([ledger.steps.drop(done), ledger.steps.flush()])
  const duplicates = outcomes.filter(({ outcome }) => outcome.result === 'duplicate').length
  return summarise({
    runId,
    startedAt,
    endedAt: now(),
    found: batch.messages.length,
    alreadySeen: duplicates,
    postponed: outcomes.filter(({ outcome }) => outcome.result === 'held').length,
    outcomes: outcomes.flatMap(({ id, outcome }) => toItemOutcome(id, outcome)),
    spend,
  })
}

/** The table of items itself: the row already holds the result. */
const isItemTable = (destination: FlowDestination): boolean =>
  destination.type === 'database' && destination.table === 'feed_items'

const toItemOutcome = (id: string, outcome: FeedMessageOutcome): ItemOutcome[] => {
  switch (outcome.result) {
    case 'processed':
      return [{ kind: 'delivered' }]
    case 'filtered':
      return [{ kind: 'filtered' }]
    case 'rejected':
      return [{ kind: 'rejected', item: id, error: recordError(outcome.error) }]
    case 'failed':
    case 'malformed':
      return [{ kind: 'failed', item: id, error: recordError(outcome.error) }]
    case 'duplicate':
    case 'held':
      return []
  }
}

/**
 * The platform counts every retry. A message that must not count one, because its item was not
 * worked on, is sent again as a new message; its item is recognised by its identity.
 */
const withFreeRetries = (
  message: FeedMessage,
  queue: string,
  { env, subrequests }: Invocation,
): FeedMessage => ({
  id: message.id,
  body: message.body,
  attempts: message.attempts,
  ack: () => message.ack(),
  retry: async ({ delaySeconds, uncounted }) => {
    const producer = uncounted ? seekQueue(env, queue) : undefined
    if (producer === undefined) return message.retry({ delaySeconds })
    subrequests.spend()
    await producer.sendBatch([{ body: message.body, delaySeconds }])
    return message.ack()
  },
})

interface ReadMessage {
  message: FeedMessage
  key: string
  /** The output of another flow's pipeline; feed items are mapped by the engine. */
  fields?: JsonObject
}

/**
 * Messages of other flows are claimed in the same table, under the flow's name instead of a feed's
 * address.
 */
const withFeedBody = (message: FeedMessage): ReadMessage => {
  const parsed = flowQueueMessage.safeParse(message.body)
  if (!parsed.success) return { message, key: message.id }
  const { flow, item, fields, enqueued_at } = parsed.data
  const body: FeedQueueMessage = {
    feed_url: flow,
    item: {
      id: item.id,
      title: item.title,
      link: typeof fields.url === 'string' ? fields.url : null,
      content: typeof fields.content === 'string' ? fields.content : null,
      published: null,
      updated: null,
      author: null,
      summary: null,
      categories: [],
      enclosures: [],
    },
    enqueued_at,
  }
  return {
    message: {
      id: message.id,
      body,
      attempts: message.attempts,
      ack: () => message.ack(),
      retry: (options) => message.retry(options),
    },
    key: keyOf(body),
    fields,
  }
}

const keyOf = ({ feed_url, item }: FeedQueueMessage): string => JSON.stringify([feed_url, item.id])

const openItems = async (invocation: Invocation): Promise<FeedItemStore> => {
  const { env, subrequests } = invocation
  const database = findD1(env, 'FEEDS_DB')
  await createTables(database, FEED_ITEMS_MIGRATIONS.join(';'), invocation)
  return createFeedItemStore(async (sql, values) => {
    subrequests.spend()
    const { results } = await database
      .prepare(sql)
      .bind(...values)
      .all()
    return results
  })
}
