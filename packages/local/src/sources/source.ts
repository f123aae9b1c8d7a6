import type { Fetch, FlowSource } from '@steward/contract'
import type { FlowItem } from '@steward/engine'

export type SourceOf<Type extends FlowSource['type']> = Extract<FlowSource, { type: Type }>

export interface SourcePorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
  /** Relative paths start here: the folder of the registry file. */
  folder: string
}

export type ReadSource<Type extends FlowSource['type']> = (
  source: SourceOf<Type>,
  ports: SourcePorts,
) => Promise<FlowItem[]>
