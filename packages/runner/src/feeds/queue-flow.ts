import type { SourceOf } from '@steward/engine'
import type { DestinationPorts } from '../destinations/index.ts'
import type { SeenItems } from '../flows/seen-items.ts'
import type { SourceRun, SourceRunPorts } from '../flows/source-run.ts'
import type { Runner } from '../runner/index.ts'
import type { Feeds } from './open-feeds.ts'

export interface QueueFlowPorts extends SourceRunPorts, Omit<DestinationPorts, 'sendEmail'> {
  feeds: Feeds
  runner: Runner
  seen: SeenItems
}

/** A run of a flow that takes its items from a queue. */
export interface QueueFlowRun extends SourceRun {
  source: SourceOf<'queue'>
}
