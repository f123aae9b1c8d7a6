import { type FlowEntry, type JsonObject, type Spend, StewardError } from '@steward/contract'
import { deliveryKey, type FlowItem, payloadFor, runLoop } from '@steward/engine'
import { type CallPorts, callWorker } from '../call-worker.ts'
import { deliver } from './deliver.ts'
import type { Invocation } from './invocation.ts'
import type { FollowCall } from './kept-steps.ts'

export interface ItemWork {
  flow: FlowEntry
  item: FlowItem
}

export interface PipelineWork extends ItemWork {
  /** The item's id in the ledger. */
  id: string
  /** Undefined for a flow without a pipeline. */
  follow: FollowCall | undefined
}

const MAIL_ACTION = 'A_SEND_EMAIL'

/**
 * Runs an item through the pipeline, as often as its loop gate requires. Steps that earlier attempts
 * finished are not run again.
 */
export const processItem = (
  work: PipelineWork,
  invocation: Invocation,
  onSpend: (spend: Spend) => void,
): Promise<JsonObject> => {
  const { flow, item, id, follow } = work
  const call = callerOf(work, invocation, onSpend, (input) => follow?.(id, input))
  return runThrough(flow, payloadFor(flow, item), call)
}

/** Delivers an item's output; `again` if an earlier attempt may have delivered it. */
export const deliverItem = async (
  work: ItemWork & { again: boolean },
  output: JsonObject,
  invocation: Invocation,
  onSpend: (spend: Spend) => void,
): Promise<void> => {
  const { flow, item, again } = work
  const call = callerOf(work, invocation, onSpend)
  const delivery = { flow, item, output, again, now: new Date(invocation.now()) }
  await deliver(flow, delivery, { invocation, sendEmail: (input) => call(MAIL_ACTION, input, 0) })
}

/** The maximum numbers of subrequests per item, with one of the ledger each. */
export const subrequestsOfItem = ({
  pipeline,
  loop,
}: FlowEntry): { processing: number; delivery: number } => ({
  processing: (pipeline === undefined ? 0 : (loop?.maxIterations ?? 1)) + 1,
  delivery: 2,
})

type Call = (name: string, input: JsonObject, step: number) => Promise<JsonObject>

const callerOf = (
  { flow, item }: ItemWork,
  { env, subrequests }: Invocation,
  onSpend: (spend: Spend) => void,
  follow: (input: JsonObject) => CallPorts['steps'] = () => undefined,
): Call => {
  const callsFor = (input: JsonObject): CallPorts => {
    const steps = follow(input)
    return { env, subrequests, onSpend, ...(steps === undefined ? {} : { steps }) }
  }
  // Equal for every attempt of an item, so that mail sent twice has the same message id.
  const runId = deliveryKey({ flow, item })
  return (name, input, step) =>
    callWorker(name, input, { runId, step, pipeline: undefined }, callsFor(input))
}

const runThrough = async (
  { name, pipeline, loop, destination }: FlowEntry,
  payload: JsonObject,
  call: Call,
): Promise<JsonObject> => {
  if (pipeline === undefined) {
    if (destination.type === 'queue') return payload
    const reason = 'it has neither a pipeline nor a queue destination'
    throw new StewardError('invalid_definition', { file: name, reason })
  }
  if (loop === undefined) return call(pipeline, payload, 0)
  const looped = await runLoop(loop, payload, (input) => call(pipeline, input, input.iteration))
  return looped.output
}
