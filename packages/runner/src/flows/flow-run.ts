import type { ChosenItems, FlowItem, WebhookDelivery } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import type { DestinationPorts } from '../destinations/index.ts'
import type { Feeds } from '../feed-store/index.ts'
import type { Runner, RunnerPorts } from '../runner/index.ts'
import type { ItemSource, ReadUsage } from '../sources/index.ts'
import type { EndPorts } from './end-flow-run.ts'
import type { TriggerOptions } from './flow-runner.ts'

/** The dependencies of running flows. */
export interface FlowPorts extends Omit<DestinationPorts, 'sendEmail'>, EndPorts {
  feeds: Feeds
  runner: Runner
  /** For sources that are programs. */
  shell: RunnerPorts['shell']
  /** For sources of usage. */
  readUsage: ReadUsage
  /** Where programs are looked for. */
  path: string
  now: () => number
  /** From 0 to below 1; spreads the times of retries. */
  random: () => number
  /** The zone of days and weeks of digests, unless a flow has its own. */
  zone: () => string
}

/** A flow run that the history has as started: new, or taken over from a dead process. */
export interface FlowRun {
  runId: string
  loaded: LoadedFlow
  sources: readonly ItemSource[]
  /** Changes with the code of the pipeline: after a change, items are processed again. */
  pipelineHash: string
  webhook: Pick<WebhookDelivery, 'body' | 'id'> | undefined
  /** Given by hand: the run works on it alone and reads no source. */
  item: FlowItem | undefined
  /** Works on these items of the ledger only, and reads the source only if one needs it. */
  only: readonly string[] | undefined
  /** The progress of the previous attempt. */
  earlier: { chosen: ChosenItems; finished: ReadonlySet<number> } | undefined
  options: Pick<TriggerOptions, 'onProgress' | 'signal' | 'onEnding' | 'isScheduled'>
}
