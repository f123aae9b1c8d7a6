import type { ChosenItems } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import type { DestinationPorts } from '../destinations/index.ts'
import type { Feeds } from '../feed-store/index.ts'
import type { SeenItems } from '../history/seen-items.ts'
import type { Runner } from '../runner/index.ts'
import type { ItemSource } from '../sources/index.ts'
import type { EndPorts } from './end-flow-run.ts'
import type { TriggerOptions } from './flow-runner.ts'

/** The dependencies of running flows. */
export interface FlowPorts extends Omit<DestinationPorts, 'sendEmail'>, EndPorts {
  feeds: Feeds
  runner: Runner
  seen: SeenItems
  now: () => number
}

/** A flow run that the history has as started: new, or taken over from a dead process. */
export interface FlowRun {
  runId: string
  loaded: LoadedFlow
  source: ItemSource
  webhookBody: string | undefined
  /** The progress of the previous attempt. */
  earlier: { chosen: ChosenItems; finished: ReadonlySet<number> } | undefined
  options: Pick<TriggerOptions, 'onProgress' | 'signal' | 'onEnding'>
}
