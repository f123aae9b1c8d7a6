import {
  type FeedQueueMessage,
  type FlowEntry,
  type FlowRunSummary,
  flowQueueMessage,
  type JsonObject,
  LIMITS,
  type Spend,
} from '@steward/contract'
import {
  createFeedItemStore,
  FEED_ITEMS_MIGRATIONS,
  type FeedItemStore,
  type FeedItemWork,
  type FeedMessage,
  type FeedMessageOutcome,
  type ItemOutcome,
  NO_SPEND,
  processFeedBatch,
  recordError,
  summarise,
  sumSpend,
} from '@steward/engine'
import { type D1Database, findD1 } from '../bindings.ts'
import type { Invocation } from './invocation.ts'
import { readConsumerStart } from './read-clock.ts'
import { workItem } from './work-item.ts'

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
  const messages = batch.messages.map((message) => withFeedBody(message))
  const fieldsOf = new Map(messages.flatMap(({ fields, key }) => (fields ? [[key, fields]] : [])))
  const pipeline = async (payload: JsonObject, { message, attempts }: FeedItemWork) => {
    const { id, title } = message.item
    const own = fieldsOf.get(keyOf(message))
    const item = { id, title, payload: own ?? payload }
    // If the destination is the table of items itself, the row already holds the result.
    const delivers = !(
      flow.destination.type === 'database' && flow.destination.table === 'feed_items'
    )
    return workItem({ flow, item, again: attempts > 1, delivers }, invocation, onSpend)
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

const toItemOutcome = (id: string, outcome: FeedMessageOutcome): ItemOutcome[] => {
  switch (outcome.result) {
    case 'processed':
      return [{ kind: 'delivered' }]
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
      retry: ({ delaySeconds }) => message.retry({ delaySeconds }),
    },
    key: keyOf(body),
    fields,
  }
}

const keyOf = ({ feed_url, item }: FeedQueueMessage): string => JSON.stringify([feed_url, item.id])

const prepared = new WeakSet<D1Database>()

const openItems = async ({ env, subrequests }: Invocation): Promise<FeedItemStore> => {
  const database = findD1(env, 'FEEDS_DB')
  if (!prepared.has(database)) {
    const statements = FEED_ITEMS_MIGRATIONS.flatMap((sql) => sql.split(';'))
      .map((sql) => sql.trim())
      .filter((sql) => sql !== '')
    subrequests.spend()
    await database.batch(statements.map((sql) => database.prepare(sql)))
    prepared.add(database)
  }
  return createFeedItemStore(async (sql, values) => {
    subrequests.spend()
    const { results } = await database
      .prepare(sql)
      .bind(...values)
      .all()
    return results
  })
}
