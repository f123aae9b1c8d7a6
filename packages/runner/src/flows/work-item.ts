import { createHash } from 'node:crypto'
import { type FlowEntry, type JsonObject, StewardError, toStewardError } from '@steward/contract'
import { type FlowItem, payloadFor, type Receipt, runLoop } from '@steward/engine'
import { type DestinationPorts, deliver } from '../destinations/index.ts'
import type { Runner, RunOptions } from '../runner/index.ts'

/** One item of one flow run; `again` if a previous run may have delivered it. */
export interface ItemWork {
  flow: FlowEntry
  item: FlowItem
  flowRunId: string
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
  flowId: string,
  { id, payload }: Pick<FlowItem, 'id' | 'payload'>,
  pipelineHash: string,
): Pick<ItemWork, 'key' | 'deliveryKey'> => ({
  key: `${flowId}/${hashOf([id, payload, pipelineHash])}`,
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

export interface WorkedItem extends Omit<PipedItem, 'output'> {
  receipt: Receipt
}

/**
 * Runs an item through the pipeline, as often as its loop gate requires, and delivers the result.
 */
export const workItem = async (
  work: ItemWork,
  runner: Runner,
  ports: Omit<DestinationPorts, 'sendEmail'>,
): Promise<WorkedItem> => {
  const { output, runs, ...piped } = await pipeItem(work, runner)
  const { receipt, runs: more } = await deliverItem(work, output, runner, ports)
  return { ...piped, runs: [...runs, ...more], receipt }
}

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

export const deliverItem = async (
  work: ItemWork,
  output: JsonObject,
  runner: Runner,
  ports: Omit<DestinationPorts, 'sendEmail'>,
): Promise<{ receipt: Receipt; runs: string[] }> => {
  const { flow, item, again } = work
  const runs: string[] = []
  const sendEmail = async (input: JsonObject): Promise<JsonObject> => {
    const sent = await call(work, runner, 'A_SEND_EMAIL', input, `${work.deliveryKey}/email`)
    runs.push(sent.runId)
    return sent.output
  }
  const receipt = await deliver(
    flow.destination,
    { flow, item, output, again, now: new Date(work.now()) },
    { ...ports, sendEmail },
  ).catch((thrown: unknown) => {
    throw toStewardError(thrown, 'upstream_failed', {
      service: `the ${flow.destination.type} destination`,
    })
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
      parentId: flowRunId,
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
