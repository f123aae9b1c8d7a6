import type { FeedSubscription } from '@steward/contract'

/** What a flow reads from files, as it was when the worker was built: an isolate has no disk. */
export interface FlowAssets {
  /** Text by path as the entry writes it; a folder's files under `<folder>/<name>`. */
  files?: Record<string, string>
  /** `feeds.json`, for a feeds source. */
  feeds?: FeedSubscription[]
}
