import type {
  FlowEntry,
  FlowItemView,
  FlowRunSummary,
  ItemState,
  JsonObject,
  RecordedError,
  RetryItems,
  TriedFlow,
} from '@steward/contract'
import type { SignedRequest, WebhookDelivery } from '@steward/engine'
import type { OnProgress } from '../runner/index.ts'

/** A call to a webhook source: to be verified, or verified before. */
export type WebhookCall = SignedRequest | Pick<WebhookDelivery, 'body' | 'id'>

export interface TriggerOptions {
  /** Runs a disabled flow once. */
  force?: boolean
  webhook?: WebhookCall
  /** Overrides fields of the flow’s `with`, or is its item; for a webhook source, the body of a call. */
  input?: JsonObject
  /** A schedule started it: failing items wait for their planned time. */
  isScheduled?: boolean
  /** A run with the same key is done once: a repeated call continues it or returns its result. */
  idempotencyKey?: string
  onProgress?: OnProgress
  signal?: AbortSignal
  /**
   * Called with a run's outcome before it is stored: if the process dies in between, the run is
   * resumed and this is called again with the same run id.
   */
  onEnding?: (outcome: FlowOutcome) => void | Promise<void>
}

export interface FlowOutcome {
  runId: string
  flow: string
  summary: FlowRunSummary
  /** Given-up items that the person does not know of yet. */
  givenUp: readonly { id: string; title: string | null; error: RecordedError | null }[]
}

export interface FlowRunner {
  /** Runs a flow once, by name or id. */
  trigger: (nameOrId: string, options?: TriggerOptions) => Promise<FlowOutcome>
  /** The flow's items, the latest change first. */
  items: (
    nameOrId: string,
    filter: { state?: ItemState | undefined; limit: number },
  ) => Promise<FlowItemView[]>
  /** Works on undelivered items again, given-up ones too; delivers stored outputs as they are. */
  retry: (nameOrId: string, choice: RetryItems, options?: TriggerOptions) => Promise<FlowOutcome>
  /** Resumes a flow run that failed or whose process died; delivered items stay delivered. */
  resume: (runId: string, options?: TriggerOptions) => Promise<FlowOutcome>
  /**
   * Reads the sources and runs the pipeline for the first items without delivering anything;
   * `draft` in place of the stored definition.
   */
  attempt: (
    nameOrId: string,
    options: { draft?: FlowEntry | undefined; count: number; signal?: AbortSignal | undefined },
  ) => Promise<TriedFlow>
}
