import type { Fetch, FlowSource, StewardError } from '@steward/contract'
import type { FlowItem } from './item.ts'
import type { SourceMemory } from './source-memory.ts'

export type SourceOf<Type extends FlowSource['type']> = Extract<FlowSource, { type: Type }>

/** The dependencies of a source that remembers where it stopped. */
export interface RememberingPorts {
  memory: SourceMemory
  /** Milliseconds since the epoch. */
  now: () => number
  /** Takes the error of a source that was read in part: its items are still processed. */
  report: (error: StewardError) => void
}

/** The dependencies of a source on the network. */
export interface WebSourcePorts extends RememberingPorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
}

export type ReadWebSource<Type extends FlowSource['type']> = (
  source: SourceOf<Type>,
  ports: WebSourcePorts,
) => Promise<FlowItem[]>
