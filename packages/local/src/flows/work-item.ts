import { type Fields, type FlowEntry, toStewardError } from '@steward/contract'
import { type FlowItem, payloadFor, type Receipt, runLoop } from '@steward/engine'
import { type DestinationPorts, deliver } from '../destinations/index.ts'
import type { Runner, RunOptions } from '../runner/index.ts'

/** One item of one flow run; `again` when a run before may have delivered it. */
export interface ItemWork {
  flow: FlowEntry
  item: FlowItem
  flowRunId: string
  index: number
  again: boolean
  now: () => number
  options: Pick<RunOptions, 'onProgress' | 'signal'>
}

export interface WorkedItem {
  /** The runs of the pipeline, one an iteration. */
  runs: string[]
  loop?: { iterations: number; passed: boolean }
  receipt: Receipt
}

/** Pipes an item through the pipeline, as often as its loop gate asks, and delivers what came out. */
export const workItem = async (
  work: ItemWork,
  runner: Runner,
  ports: Omit<DestinationPorts, 'sendEmail'>,
): Promise<WorkedItem> => {
  const { flow, item, flowRunId, index } = work
  const runs: string[] = []
  const callAs = async (name: string, input: Fields, part: string | number): Promise<Fields> => {
    const outcome = await runner.run(name, input, {
      ...work.options,
      parentId: flowRunId,
      flow: flow.name,
      ...(flow.budgetUsd === undefined ? {} : { flowBudgetUsd: flow.budgetUsd }),
      idempotencyKey: `${flowRunId}/${index}/${part}`,
    })
    runs.push(outcome.runId)
    if ('output' in outcome.result) return outcome.result.output
    throw outcome.result.error
  }

  // Without a pipeline the item goes to its queue as it is.
  const callPipeline = async (input: Fields, part: number): Promise<Fields> =>
    flow.pipeline === undefined ? input : callAs(flow.pipeline, input, part)

  const payload = payloadFor(flow, item)
  const looped =
    flow.loop &&
    (await runLoop(flow.loop, payload, (input) => callPipeline(input, input.iteration)))
  const output = looped?.output ?? (await callPipeline(payload, 0))
  const receipt = await deliver(
    flow.destination,
    { flow, item, output, again: work.again, now: new Date(work.now()) },
    { ...ports, sendEmail: (input) => callAs('A_SEND_EMAIL', input, 'email') },
  ).catch((thrown: unknown) => {
    throw toStewardError(thrown, 'upstream_failed', {
      service: `the ${flow.destination.type} destination`,
    })
  })
  return {
    runs,
    receipt,
    ...(looped && { loop: { iterations: looped.iterations, passed: looped.passed } }),
  }
}
