import type { FlowSource } from '@steward/contract'
import type { FlowItem, SourceOf, WebSourcePorts } from '@steward/engine'

export interface SourcePorts extends WebSourcePorts {
  /** Relative paths start here: the folder of the registry file. */
  folder: string
}

export type ReadSource<Type extends FlowSource['type']> = (
  source: SourceOf<Type>,
  ports: SourcePorts,
) => Promise<FlowItem[]>
