import { destinationsOf, type FlowDestination, type JsonObject, LIMITS } from '@steward/contract'
import {
  deliverEverywhere,
  destinationKeys,
  type FeedItemWork,
  type FeedMessageOutcome,
  itemFromFeed,
  processFeedBatch,
} from '@steward/engine'
import { deliverItem, type ItemWork, keysOf, pipeItem } from '../flows/work-item.ts'
import type { ReceivedMessage } from '../queue/index.ts'
import type { QueueFlowPorts, QueueFlowRun } from './queue-flow.ts'

/**
 * Items of feeds: the table of items decides what is new, and stores the results unless the flow
 * says otherwise.
 */
export const workFeedMessages = (
  run: QueueFlowRun,
  messages: readonly ReceivedMessage[],
  ports: QueueFlowPorts,
): Promise<{ id: string; outcome: FeedMessageOutcome }[]> => {
  const { flow } = run.loaded
  const { signal } = run.options
  return processFeedBatch(
    messages,
    {
      items: ports.feeds.database().items,
      now: ports.now,
      pipeline: (_, work) => workFeedItem(run, work, ports),
      ...(signal === undefined ? {} : { signal }),
    },
    { concurrency: flow.concurrency ?? LIMITS.flowConcurrency },
  )
}

const workFeedItem = async (
  { runId, loaded: { flow }, pipelineHash, options }: QueueFlowRun,
  { message, attempts }: FeedItemWork,
  ports: QueueFlowPorts,
): Promise<JsonObject> => {
  // Two feeds may use the same id for different items.
  const id = `${message.feed_url} ${message.item.id}`
  const item = { ...itemFromFeed(message.item), id }
  const work: ItemWork = {
    flow,
    item,
    flowRunId: runId,
    // Independent of the run and the attempt, so that finished work is continued instead of paid
    // for again.
    ...keysOf(flow, item, pipelineHash),
    again: attempts > 1,
    now: ports.now,
    options,
  }
  const { output } = await pipeItem(work, ports.runner)
  const destinations = destinationsOf(flow)
  await deliverEverywhere(id, destinationKeys(flow), ports.ledger(flow.id), async (place) => {
    const destination = destinations[place]
    if (destination === undefined || isItemTable(destination)) return
    await deliverItem(work, output, place, ports.runner, ports)
  })
  return output
}

/** The item's row itself is the delivery. */
const isItemTable = (destination: FlowDestination): boolean =>
  destination.type === 'database' &&
  destination.table === 'feed_items' &&
  destination.path === undefined
