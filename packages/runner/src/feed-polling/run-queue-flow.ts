import {
  deadLetterQueueOf,
  type FlowRunSummary,
  flowQueueMessage,
  isJsonObject,
  type StewardError,
} from '@steward/contract'
import {
  classifyFailure,
  enqueueItem,
  type FeedMessageOutcome,
  type ItemOutcome,
  recordError,
  type SourceOf,
  summarise,
} from '@steward/engine'
import type { FlowOutcome } from '../flows/flow-runner.ts'
import { endSourceRun } from '../flows/source-run.ts'
import type { Queue, ReceivedMessage } from '../queue/index.ts'
import type { QueueFlowPorts, QueueFlowRun } from './queue-flow.ts'
import { workFeedMessages } from './work-feed-messages.ts'
import { type FlowMessage, workFlowMessages } from './work-flow-messages.ts'

interface Settled {
  id: string
  /** The item's title for people. */
  title: string
  outcome: FeedMessageOutcome
}

/**
 * A run of a flow whose source is a queue: receives batches until none is ready. Each message is
 * acknowledged or retried separately, so that a run that dies leaves nothing undecided.
 */
export const runQueueFlow = async (
  run: QueueFlowRun,
  ports: QueueFlowPorts,
): Promise<FlowOutcome> => {
  const { runId, source, loaded, options } = run
  const { now, history, feeds } = ports
  const startedAt = now()
  const queue = feeds.queue(source.queue, {
    maxRetries: source.maxRetries,
    deadLetterQueue: source.deadLetterQueue ?? deadLetterQueueOf(source.queue),
  })
  if (run.item !== undefined) {
    const { name } = loaded.flow
    const { item } = run
    await enqueueItem(queue, { flow: name, item, fields: item.payload, now: new Date(startedAt) })
  }
  const limit = loaded.flow.maxItems ?? Number.POSITIVE_INFINITY
  const settled: Settled[] = []
  while (settled.length < limit && !settled.some(stopsRun)) {
    options.signal?.throwIfAborted()
    const batch = await queue.receive(Math.min(source.maxBatchSize, limit - settled.length))
    if (batch.length === 0) break
    const worked = await workBatch(run, batch, ports)
    settled.push(...worked)
    for (const each of worked) {
      options.onProgress?.({ kind: 'note', runId, message: describe(each) })
    }
  }
  const [blocked] = settled.flatMap(blockOf)
  const summary = summarise({
    runId,
    startedAt,
    endedAt: now(),
    found: settled.length,
    alreadySeen: settled.filter(({ outcome }) => outcome.result === 'duplicate').length,
    postponed: 0,
    outcomes: settled.flatMap(toItemOutcome),
    spend: history.spend({ runId }),
    ...(blocked === undefined ? {} : { blocked: recordError(blocked) }),
  })
  const counts = queue.inspect()
  const told = { ...summary, reason: tellRest(summary, counts, source) }
  const output = { ...summary.items, queue: counts }
  return endSourceRun(run, told, { output }, ports)
}

const workBatch = async (
  run: QueueFlowRun,
  batch: readonly ReceivedMessage[],
  ports: QueueFlowPorts,
): Promise<Settled[]> => {
  const ofFlows: FlowMessage[] = []
  const ofFeeds: ReceivedMessage[] = []
  for (const received of batch) {
    const parsed = flowQueueMessage.safeParse(received.body)
    if (parsed.success) ofFlows.push({ received, message: parsed.data })
    else ofFeeds.push(received)
  }
  const titles = new Map(batch.map(({ id, body }) => [id, titleOf(body)]))
  const settled = [
    ...(await workFeedMessages(run, ofFeeds, ports)),
    ...(await workFlowMessages(run, ofFlows, ports)),
  ]
  return settled.map((each) => ({ ...each, title: titles.get(each.id) ?? each.id }))
}

/** Messages of feeds and of flows both contain their item; a malformed one may not. */
const titleOf = (body: unknown): string | undefined => {
  const item = isJsonObject(body) && isJsonObject(body.item) ? body.item : {}
  const texts = [item.title, item.link, item.id].filter((part) => typeof part === 'string')
  return texts.find((text) => text !== '')
}

/** The remaining messages would only be received to be retried. */
const stopsRun = ({ outcome }: Settled): boolean =>
  outcome.settle === 'retry' && STOPPING.has(classifyFailure(outcome.error))

const STOPPING: ReadonlySet<string> = new Set(['limit', 'configuration'])

const blockOf = ({ outcome }: Settled): StewardError[] =>
  outcome.settle === 'retry' && classifyFailure(outcome.error) === 'configuration'
    ? [outcome.error]
    : []

const toItemOutcome = ({ id, outcome }: Settled): ItemOutcome[] => {
  switch (outcome.result) {
    case 'processed':
      return [{ kind: 'delivered' }]
    case 'duplicate':
      return []
    case 'filtered':
      return [{ kind: 'filtered' }]
    case 'held':
      return [{ kind: 'postponed', error: recordError(outcome.error) }]
    case 'rejected':
      return [{ kind: 'rejected', item: id, error: recordError(outcome.error) }]
    case 'failed':
    case 'malformed':
      return [{ kind: 'failed', item: id, error: recordError(outcome.error) }]
  }
}

const describe = ({ title, outcome }: Settled): string =>
  'error' in outcome
    ? `${outcome.result}: ${title}: ${outcome.error.message}`
    : `${outcome.result}: ${title}`

/** Reports what is still queued, to distinguish an empty run from a waiting queue. */
const tellRest = (
  { items, reason }: FlowRunSummary,
  { ready, delayed, leased, dead }: ReturnType<Queue['inspect']>,
  { queue, deadLetterQueue }: SourceOf<'queue'>,
): string => {
  const parts = [
    items.found === 0 ? `no message of the queue ${queue} is ready` : reason,
    ready > 0 && `${ready} more wait`,
    delayed > 0 && `${delayed} wait for a retry`,
    leased > 0 &&
      `${leased} are held by a run that has not finished; they return within 15 minutes`,
    dead > 0 && `${dead} dead letters in ${deadLetterQueue ?? deadLetterQueueOf(queue)}`,
  ]
  return parts.filter(Boolean).join('; ')
}
