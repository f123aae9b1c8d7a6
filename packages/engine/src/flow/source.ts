import type { Fetch, FlowSource } from '@steward/contract'
import type { FlowItem } from './item.ts'

export type SourceOf<Type extends FlowSource['type']> = Extract<FlowSource, { type: Type }>

/** The dependencies of a source on the network. */
export interface WebSourcePorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
}

export type ReadWebSource<Type extends FlowSource['type']> = (
  source: SourceOf<Type>,
  ports: WebSourcePorts,
) => Promise<FlowItem[]>
