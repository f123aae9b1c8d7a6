import type { DrivenSession } from '@steward/contract'
import type { DrivenPorts } from './ports.ts'

/** Reports a rise of the cost at once, so that the cost of a turn that is cut off counts too. */
export const publishCost = (
  { bus, now }: Pick<DrivenPorts, 'bus' | 'now'>,
  { assistant, id, project, branch, costUsd }: DrivenSession,
  beforeUsd: number,
): void => {
  if (costUsd === null || costUsd <= beforeUsd) return
  bus.publish('turn.cost', {
    ...{ assistant, session: id, project, branch, atMs: now() },
    ...{ totalUsd: costUsd, costUsd: costUsd - beforeUsd },
  })
}
