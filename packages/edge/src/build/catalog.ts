import type { ActionManifestV2, FlowEntry, PipelineDefinition } from '@steward/contract'
import type { Mistake } from './mistake.ts'

/** An action as it lies on disk: `file` is its module, inside `folder`. */
export interface EdgeAction {
  manifest: ActionManifestV2
  folder: string
  file: string
}

/** A flow of a registry; relative paths in its entry are relative to `folder`. */
export interface EdgeFlow {
  entry: FlowEntry
  folder: string
  /** Where the feeds of a feeds source may be listed: the first list with entries counts. */
  feedLists: readonly string[]
}

/** All there is to build from, as plain data: whoever calls has already let the user's own win by name. */
export interface EdgeCatalog {
  actions: readonly EdgeAction[]
  pipelines: readonly PipelineDefinition[]
  flows: readonly EdgeFlow[]
  /** What could not be read, so that it is named together with every other mistake. */
  unreadable: readonly Mistake[]
}
