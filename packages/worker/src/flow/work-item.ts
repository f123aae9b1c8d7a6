import {
  destinationsOf,
  type FlowEntry,
  type JsonObject,
  type Spend,
  StewardError,
} from '@steward/contract'
import { deliveryKey, destinationKeys, type FlowItem, payloadFor, runLoop } from '@steward/engine'
import { type CallPorts, callWorker } from '../call-worker.ts'
import { createCallHeaders } from '../http/trace.ts'
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
  const call = callerOf(work, invocation, onSpend, {
    // Equal for every attempt, so that a vendor charges a call once whose answer was lost.
    workKey: deliveryKey({ flow, item }),
    follow: (input) => follow?.(id, input),
  })
  return runThrough(flow, payloadFor(flow, item), call)
}

/**
 * Delivers an item's output to one of the flow's destinations, by its place in the list; `again` if
 * an earlier attempt may have delivered it.
 */
export const deliverItem = async (
  work: ItemWork & { again: boolean; place: number },
  output: JsonObject,
  invocation: Invocation,
  onSpend: (spend: Spend) => void,
): Promise<void> => {
  const { flow, item, again, place } = work
  const destinations = destinationsOf(flow)
  const keys = destinationKeys(flow)
  const own = keys.length > 1 ? keys[place] : undefined
  const named = own === undefined ? { flow, item } : { flow, item, destination: own }
  const call = callerOf(named, invocation, onSpend)
  const delivery = { ...named, output, again, now: new Date(invocation.now()) }
  await deliver(destinations[place] ?? destinations[0], delivery, {
    invocation,
    sendEmail: (input) => call(MAIL_ACTION, input, 0),
  })
}

/** The maximum numbers of subrequests per item, with one of the ledger each. */
export const subrequestsOfItem = (flow: FlowEntry): { processing: number; delivery: number } => ({
  processing: (flow.pipeline === undefined ? 0 : (flow.loop?.maxIterations ?? 1)) + 1,
  delivery: deliveriesOf(flow),
})

/** With several destinations, what each did is stored as well. */
const deliveriesOf = (flow: FlowEntry): number => {
  const { length } = destinationsOf(flow)
  return length === 1 ? 2 : 2 * length + 2
}

type Call = (name: string, input: JsonObject, step: number) => Promise<JsonObject>

const callerOf = (
  { flow, item, destination }: ItemWork & { destination?: string },
  { env, now, subrequests }: Invocation,
  onSpend: (spend: Spend) => void,
  processing?: { workKey: string; follow: (input: JsonObject) => CallPorts['steps'] },
): Call => {
  const headersFor = createCallHeaders(env.AUTH_TOKEN ?? '')
  const callsFor = (input: JsonObject): CallPorts => {
    const steps = processing?.follow(input)
    const calls = { env, now, subrequests, headersFor, onSpend }
    return { ...calls, ...(steps === undefined ? {} : { steps }) }
  }
  // Equal for every attempt of an item, so that mail sent twice has the same message id.
  const runId = deliveryKey({
    flow,
    item,
    ...(destination === undefined ? {} : { destination }),
  })
  return (name, input, step) => {
    const workKey = processing && { workKey: `${processing.workKey}/${step}` }
    return callWorker(
      name,
      input,
      { runId, step, pipeline: undefined, ...workKey },
      callsFor(input),
    )
  }
}

const runThrough = async (
  flow: FlowEntry,
  payload: JsonObject,
  call: Call,
): Promise<JsonObject> => {
  const { name, pipeline, loop } = flow
  if (pipeline === undefined) {
    if (destinationsOf(flow).every(({ type }) => type === 'queue')) return payload
    const reason = 'it has neither a pipeline nor a queue destination'
    throw new StewardError('invalid_definition', { file: name, reason })
  }
  if (loop === undefined) return call(pipeline, payload, 0)
  const looped = await runLoop(loop, payload, (input) => call(pipeline, input, input.iteration))
  return looped.output
}
