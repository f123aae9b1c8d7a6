import { createHash } from 'node:crypto'
import {
  destinationsOf,
  type FlowEntry,
  type JsonObject,
  StewardError,
  toStewardError,
} from '@steward/contract'
import { destinationKeys, type FlowItem, payloadFor, type Receipt, runLoop } from '@steward/engine'
import { type DestinationPorts, deliver } from '../destinations/index.ts'
import type { Runner, RunOptions } from '../runner/index.ts'

/** One item of one flow run; `again` if a previous run may have delivered it. */
export interface ItemWork {
  flow: FlowEntry
  item: FlowItem
  /** Undefined if the flow is only tried. */
  flowRunId: string | undefined
  /** Equal for the same work, so that completed parts are not run again. */
  key: string
  /** The same for the delivery, whatever the pipeline. */
  deliveryKey: string
  again: boolean
  now: () => number
  options: Pick<RunOptions, 'onProgress' | 'signal'>
}

/** Keys of an item's work: the pipeline's depends on its definition and the input. */
export const keysOf = (
  { id: flowId, with: fields }: Pick<FlowEntry, 'id' | 'with'>,
  { id, payload }: Pick<FlowItem, 'id' | 'payload'>,
  pipelineHash: string,
): Pick<ItemWork, 'key' | 'deliveryKey'> => ({
  key: `${flowId}/${hashOf([id, payload, pipelineHash, ...(fields === undefined ? [] : [fields])])}`,
  deliveryKey: `${flowId}/${hashOf([id])}`,
})

const hashOf = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)

export interface PipedItem {
  output: JsonObject
  /** The pipeline's runs, one per iteration. */
  runs: string[]
  loop?: { iterations: number; passed: boolean }
}

/** What the record of a run says about an item. */
export interface WorkedItem extends Omit<PipedItem, 'output'> {
  /** Of the flow's only destination. */
  receipt?: Receipt
  /** By the place of the destination, if there are several. */
  receipts?: Record<string, Receipt>
}

/** Runs an item through the pipeline, as often as its loop gate requires. */
export const pipeItem = async (work: ItemWork, runner: Runner): Promise<PipedItem> => {
  const { flow, item } = work
  const runs: string[] = []
  // Without a pipeline the item is enqueued as it is.
  const callPipeline = async (input: JsonObject, part: number): Promise<JsonObject> => {
    if (flow.pipeline === undefined) return input
    const { runId, output } = await call(work, runner, flow.pipeline, input, `${work.key}/${part}`)
    runs.push(runId)
    return output
  }
  const payload = payloadFor(flow, item)
  const looped =
    flow.loop &&
    (await runLoop(flow.loop, payload, (input) => callPipeline(input, input.iteration)))
  const output = looped?.output ?? (await callPipeline(payload, 0))
  return {
    output,
    runs,
    ...(looped && { loop: { iterations: looped.iterations, passed: looped.passed } }),
  }
}

/** Delivers an output to one of the flow's destinations, by its place in the list. */
export const deliverItem = async (
  work: ItemWork,
  output: JsonObject,
  place: number,
  runner: Runner,
  ports: Omit<DestinationPorts, 'sendEmail'>,
): Promise<{ receipt: Receipt; runs: string[] }> => {
  const { flow, item, again } = work
  const destinations = destinationsOf(flow)
  const target = destinations[place] ?? destinations[0]
  const keys = destinationKeys(flow)
  const own = keys.length > 1 ? keys[place] : undefined
  const runs: string[] = []
  const sendEmail = async (input: JsonObject): Promise<JsonObject> => {
    const key = `${work.deliveryKey}/email${own === undefined ? '' : `/${own}`}`
    const sent = await call(work, runner, 'A_SEND_EMAIL', input, key)
    runs.push(sent.runId)
    return sent.output
  }
  const delivery = { flow, item, output, again, now: new Date(work.now()) }
  const receipt = await deliver(
    target,
    own === undefined ? delivery : { ...delivery, destination: own },
    { ...ports, sendEmail },
  ).catch((thrown: unknown) => {
    throw toStewardError(thrown, 'upstream_failed', { service: `the ${target.type} destination` })
  })
  return { receipt, runs }
}

/**
 * Runs an action or pipeline, or continues the run with the same key: a failed one at its failed
 * step. A run that cannot be continued, because it contained a secret, is started again.
 */
const call = async (
  { flow, flowRunId, options }: ItemWork,
  runner: Runner,
  name: string,
  input: JsonObject,
  idempotencyKey: string,
): Promise<{ runId: string; output: JsonObject }> => {
  const run = (key: string) =>
    runner.run(name, input, {
      ...options,
      ...(flowRunId === undefined ? {} : { parentId: flowRunId }),
      flow: flow.name,
      ...(flow.budgetUsd === undefined ? {} : { flowBudgetUsd: flow.budgetUsd }),
      idempotencyKey: key,
      continuesFailed: true,
    })
  const { runId, result } = await run(idempotencyKey).catch((thrown: unknown) => {
    const { code } = toStewardError(thrown)
    if (code !== 'run_not_resumable' && code !== 'run_conflict') throw thrown
    return run(`${idempotencyKey}/${flowRunId}`)
  })
  if ('error' in result) throw result.error
  const { output, filtered } = result
  if (filtered !== undefined) throw new StewardError('item_filtered', { condition: filtered })
  return { runId, output }
}
