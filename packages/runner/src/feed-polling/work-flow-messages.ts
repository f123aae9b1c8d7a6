import {
  type FlowQueueMessage,
  LIMITS,
  type RecordedError,
  toStewardError,
} from '@steward/contract'
import {
  delayAfter,
  deliverEverywhere,
  destinationKeys,
  type FeedMessageOutcome,
  type FlowItem,
  isRejection,
  isUncounted,
  recordError,
  runItems,
} from '@steward/engine'
import { deliverItem, keysOf, pipeItem } from '../flows/work-item.ts'
import type { ReceivedMessage } from '../queue/index.ts'
import type { QueueFlowPorts, QueueFlowRun } from './queue-flow.ts'

export interface FlowMessage {
  received: ReceivedMessage
  message: FlowQueueMessage
}

/** Items that another flow enqueued: like those of any source, but each settled separately. */
export const workFlowMessages = async (
  run: QueueFlowRun,
  messages: readonly FlowMessage[],
  ports: QueueFlowPorts,
): Promise<{ id: string; outcome: FeedMessageOutcome }[]> => {
  const settled = await runItems(
    messages,
    run.loaded.flow.concurrency ?? LIMITS.flowConcurrency,
    async ({ received, message }) => {
      const outcome = await workOne(run, received, message, ports)
      if (outcome.settle === 'ack') await received.ack()
      else await received.retry({ delaySeconds: outcome.delaySeconds, ...isUncounted(outcome) })
      return { id: received.id, outcome }
    },
  )
  const broken = settled.find((result) => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

const workOne = async (
  { runId, loaded: { flow }, pipelineHash, options }: QueueFlowRun,
  { attempts }: ReceivedMessage,
  message: FlowQueueMessage,
  { ledger, runner, now, ...ports }: QueueFlowPorts,
): Promise<FeedMessageOutcome> => {
  const item: FlowItem = {
    id: `${message.flow} ${message.item.id}`,
    title: message.item.title,
    payload: message.fields,
  }
  const items = ledger(flow.id)
  const known = (await items.lookUp([item.id])).get(item.id)?.state
  if (known === 'delivered' || known === 'rejected' || known === 'filtered') {
    return { settle: 'ack', result: 'duplicate' }
  }
  const mark = async (state: 'delivered' | 'rejected' | 'filtered', error?: RecordedError) => {
    const run = { runId, atMs: now() }
    await Promise.all([
      items.add([item], run),
      items.change(item.id, { state, ...(error === undefined ? {} : { error }) }, run),
      items.forgetDeliveries([item.id]),
    ])
  }
  try {
    const keys = keysOf(flow, item, pipelineHash)
    const work = { flow, item, flowRunId: runId, ...keys, again: attempts > 1, now, options }
    const { output } = await pipeItem(work, runner)
    await deliverEverywhere(item.id, destinationKeys(flow), items, (place) =>
      deliverItem(work, output, place, runner, ports),
    )
    await mark('delivered')
    return { settle: 'ack', result: 'processed' }
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (error.code === 'item_filtered') {
      await mark('filtered')
      return { settle: 'ack', result: 'filtered' }
    }
    if (!isRejection(error)) {
      const delaySeconds = delayAfter(error, attempts, now())
      return { settle: 'retry', result: 'failed', delaySeconds, error }
    }
    await mark('rejected', recordError(error))
    return { settle: 'ack', result: 'rejected', error }
  }
}
