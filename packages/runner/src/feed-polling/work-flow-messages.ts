import {
  type FlowQueueMessage,
  LIMITS,
  type RecordedError,
  toStewardError,
} from '@steward/contract'
import {
  delayAfter,
  type FeedMessageOutcome,
  type FlowItem,
  isRejection,
  isUncounted,
  recordError,
  runItems,
} from '@steward/engine'
import { keysOf, workItem } from '../flows/work-item.ts'
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
  if (known === 'delivered' || known === 'rejected') return { settle: 'ack', result: 'duplicate' }
  const mark = async (state: 'delivered' | 'rejected', error?: RecordedError) => {
    const run = { runId, atMs: now() }
    await Promise.all([
      items.add([item], run),
      items.change(item.id, { state, ...(error === undefined ? {} : { error }) }, run),
    ])
  }
  try {
    const keys = keysOf(flow.id, item, pipelineHash)
    const work = { flow, item, flowRunId: runId, ...keys, again: attempts > 1, now, options }
    await workItem(work, runner, ports)
    await mark('delivered')
    return { settle: 'ack', result: 'processed' }
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (!isRejection(error)) {
      const delaySeconds = delayAfter(error, attempts, now())
      return { settle: 'retry', result: 'failed', delaySeconds, error }
    }
    await mark('rejected', recordError(error))
    return { settle: 'ack', result: 'rejected', error }
  }
}
