import type { FlowSource, UsagePeriod } from '@steward/contract'
import type { FlowItem, SourceOf, WebSourcePorts } from '@steward/engine'
import type { Confinement } from '@steward/platform'
import type { RunnerPorts } from '../runner/index.ts'

/** Describes the tokens and cost of the last period that is over. */
export type ReadUsage = (period: UsagePeriod) => Promise<FlowItem>

export interface SourcePorts extends WebSourcePorts {
  /** Programs in the sandbox. */
  shell: RunnerPorts['shell']
  /** Where programs are looked for. */
  path: string
  /** Names what no source may read, in `never`. */
  folders: Pick<Confinement, 'never'>
  readUsage: ReadUsage
  /** Relative paths start here: the folder of the registry file. */
  folder: string
  /** Stops reading when the run is cancelled. */
  signal: AbortSignal | undefined
}

export type ReadSource<Type extends FlowSource['type']> = (
  source: SourceOf<Type>,
  ports: SourcePorts,
) => Promise<FlowItem[]>
