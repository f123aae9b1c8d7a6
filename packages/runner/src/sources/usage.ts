import type { UsagePeriod } from '@steward/contract'
import type { FlowItem } from '@steward/engine'
import type { ReadSource } from './source.ts'

/** Describes the tokens and cost of the last period that is over. */
export type ReadUsage = (period: UsagePeriod) => Promise<FlowItem>

/** One item per period, so that each is reported once. */
export const readUsage: ReadSource<'usage'> = async ({ period }, ports) => [
  await ports.readUsage(period),
]
