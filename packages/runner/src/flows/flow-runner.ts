import type { FlowRunSummary } from '@steward/contract'
import type { OnProgress } from '../runner/index.ts'

/** The body that a webhook source was called with. */
export interface WebhookCall {
  body: Uint8Array<ArrayBuffer>
  signature: string | undefined
}

export interface TriggerOptions {
  /** Runs a disabled flow all the same, this once. */
  force?: boolean
  webhook?: WebhookCall
  onProgress?: OnProgress
  signal?: AbortSignal
  /**
   * Told what a run came to before that is on record: when the process dies in between, the run is
   * continued and it is told again, with the same run id.
   */
  onEnding?: (outcome: FlowOutcome) => void | Promise<void>
}

export interface FlowOutcome {
  runId: string
  flow: string
  summary: FlowRunSummary
}

export interface FlowRunner {
  /** Runs a flow once, by name or id. Locally there is no schedule: this is the only way (spec 1). */
  trigger: (nameOrId: string, options?: TriggerOptions) => Promise<FlowOutcome>
  /** Continues a flow run whose process is gone; items already delivered stay delivered. */
  resume: (runId: string, options?: TriggerOptions) => Promise<FlowOutcome>
}
