import type { FlowItem, SourceOf } from '@steward/engine'
import type { DestinationPorts } from '../destinations/index.ts'
import type { Feeds } from '../feed-store/open-feeds.ts'
import type { SourceRun, SourceRunPorts } from '../flows/source-run.ts'
import type { Runner } from '../runner/index.ts'

export interface QueueFlowPorts extends SourceRunPorts, Omit<DestinationPorts, 'sendEmail'> {
  feeds: Feeds
  runner: Runner
}

/** A run of a flow whose source is a queue. */
export interface QueueFlowRun extends SourceRun {
  source: SourceOf<'queue'>
  /** Given by hand; it is enqueued, so that it is not lost. */
  item: FlowItem | undefined
  /** Changes with the code of the pipeline. */
  pipelineHash: string
}
