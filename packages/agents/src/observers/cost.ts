import { LIMITS, type ObserverVerdict } from '@steward/contract'

/** The cost of the votes so far. */
export interface Spending {
  /** Null once a model without a known price was asked. */
  totalUsd: number | null
  /** Cycles in which the session made tool calls. */
  activeCycles: number
}

export const NOTHING_SPENT: Spending = { totalUsd: 0, activeCycles: 0 }

const CYCLES_PER_HOUR = 3_600_000 / LIMITS.observerCycleMs
/** A session starts with more rows per cycle than it continues with. */
const CYCLES_AHEAD = 10

/**
 * Whether models may be asked now: spending must stay below the hourly limit, counted by active
 * cycles.
 */
export const mayAsk = ({ totalUsd, activeCycles }: Spending, usdPerHour: number): boolean =>
  totalUsd === null || totalUsd < (usdPerHour / CYCLES_PER_HOUR) * (activeCycles + CYCLES_AHEAD)

export const spend = ({ totalUsd, activeCycles }: Spending, cycleUsd: number | null): Spending => ({
  totalUsd: totalUsd === null || cycleUsd === null ? null : totalUsd + cycleUsd,
  activeCycles: activeCycles + 1,
})

export const describeCost = (
  { totalUsd, activeCycles }: Spending,
  cycleUsd: number | null,
): ObserverVerdict['cost'] => {
  const hours = activeCycles / CYCLES_PER_HOUR
  return {
    cycle_usd: cycleUsd,
    total_usd: totalUsd,
    primary_hours: hours,
    per_primary_hour_usd: totalUsd === null || hours === 0 ? totalUsd : totalUsd / hours,
  }
}
