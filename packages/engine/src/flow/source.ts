import type { Fetch, FlowSource } from '@steward/contract'
import type { FlowItem } from './item.ts'

export type SourceOf<Type extends FlowSource['type']> = Extract<FlowSource, { type: Type }>

/** What a source on the network needs of the world. */
export interface WebSourcePorts {
  fetch: Fetch
  secret: (name: string) => string | undefined
}

export type ReadWebSource<Type extends FlowSource['type']> = (
  source: SourceOf<Type>,
  ports: WebSourcePorts,
) => Promise<FlowItem[]>
