import { type FlowEntry, type JsonObject, type Spend, StewardError } from '@steward/contract'
import { deliveryKey, type FlowItem, payloadFor, runLoop } from '@steward/engine'
import { callWorker } from '../call-worker.ts'
import { deliver } from './deliver.ts'
import type { Invocation } from './invocation.ts'

export interface ItemWork {
  flow: FlowEntry
  item: FlowItem
  /** A previous run may have delivered it. */
  again: boolean
  /** False if the caller stores the result itself. */
  delivers?: boolean
}

const MAIL_ACTION = 'A_SEND_EMAIL'

/**
 * Runs an item through the pipeline, as often as its loop gate requires, and delivers the result.
 */
export const workItem = async (
  { flow, item, again, delivers = true }: ItemWork,
  invocation: Invocation,
  onSpend: (spend: Spend) => void,
): Promise<JsonObject> => {
  const { env, subrequests, now } = invocation
  const calls = { env, subrequests, onSpend }
  // Equal for every attempt of an item, so that mail sent twice has the same message id.
  const runId = deliveryKey({ flow, item })
  const callAs = (name: string, input: JsonObject, step: number) =>
    callWorker(name, input, { runId, step, pipeline: undefined }, calls)

  const output = await runThrough(flow, payloadFor(flow, item), callAs)
  if (!delivers) return output
  const delivery = { flow, item, output, again, now: new Date(now()) }
  await deliver(flow, delivery, {
    invocation,
    sendEmail: (input) => callAs(MAIL_ACTION, input, 0),
  })
  return output
}

/**
 * The maximum number of subrequests per item: the pipeline's calls, the destination's, and the
 * record that it was seen.
 */
export const subrequestsOfItem = ({ pipeline, loop }: FlowEntry): number =>
  (pipeline === undefined ? 0 : (loop?.maxIterations ?? 1)) + 2

const runThrough = async (
  { name, pipeline, loop, destination }: FlowEntry,
  payload: JsonObject,
  callAs: (name: string, input: JsonObject, step: number) => Promise<JsonObject>,
): Promise<JsonObject> => {
  if (pipeline === undefined) {
    if (destination.type === 'queue') return payload
    const reason = 'it has neither a pipeline nor a queue destination'
    throw new StewardError('invalid_definition', { file: name, reason })
  }
  if (loop === undefined) return callAs(pipeline, payload, 0)
  const looped = await runLoop(loop, payload, (input) => callAs(pipeline, input, input.iteration))
  return looped.output
}
