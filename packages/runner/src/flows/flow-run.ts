import type { ChosenItems } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import type { DestinationPorts } from '../destinations/index.ts'
import type { Feeds } from '../feed-store/index.ts'
import type { SeenItems } from '../history/seen-items.ts'
import type { Runner } from '../runner/index.ts'
import type { ItemSource } from '../sources/index.ts'
import type { EndPorts } from './end-flow-run.ts'
import type { TriggerOptions } from './flow-runner.ts'

/** All that running flows needs of the world. */
export interface FlowPorts extends Omit<DestinationPorts, 'sendEmail'>, EndPorts {
  feeds: Feeds
  runner: Runner
  seen: SeenItems
  now: () => number
}

/** A flow run that the history has as begun: fresh, or taken over from a dead process. */
export interface FlowRun {
  runId: string
  loaded: LoadedFlow
  source: ItemSource
  webhookBody: string | undefined
  /** What a run before it had come to. */
  earlier: { chosen: ChosenItems; finished: ReadonlySet<number> } | undefined
  options: Pick<TriggerOptions, 'onProgress' | 'signal' | 'onEnding'>
}
