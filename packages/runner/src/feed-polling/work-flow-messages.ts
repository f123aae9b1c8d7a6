import { type FlowQueueMessage, LIMITS, toStewardError } from '@steward/contract'
import {
  type FeedMessageOutcome,
  type FlowItem,
  isRejection,
  retryDelaySeconds,
  runItems,
} from '@steward/engine'
import { workItem } from '../flows/work-item.ts'
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
      else await received.retry({ delaySeconds: outcome.delaySeconds })
      return { id: received.id, outcome }
    },
  )
  const broken = settled.find((result) => result.status === 'rejected')
  if (broken !== undefined) throw broken.reason
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

const workOne = async (
  { runId, loaded: { flow }, options }: QueueFlowRun,
  { id, attempts }: ReceivedMessage,
  message: FlowQueueMessage,
  { seen, runner, now, ...ports }: QueueFlowPorts,
): Promise<FeedMessageOutcome> => {
  const item: FlowItem = {
    id: `${message.flow} ${message.item.id}`,
    title: message.item.title,
    payload: message.fields,
  }
  if (seen.look(flow.id, item.id).settled) return { settle: 'ack', result: 'duplicate' }
  const mark = (status: 'delivered' | 'rejected') =>
    seen.mark(flow.id, item.id, status, { id: runId, at: now() })
  try {
    const key = `${flow.id}/${id}/${attempts}`
    const work = { flow, item, flowRunId: runId, key, again: attempts > 1, now, options }
    await workItem(work, runner, ports)
    await mark('delivered')
    return { settle: 'ack', result: 'processed' }
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (!isRejection(error)) {
      return { settle: 'retry', result: 'failed', delaySeconds: retryDelaySeconds(attempts), error }
    }
    await mark('rejected')
    return { settle: 'ack', result: 'rejected', error }
  }
}
