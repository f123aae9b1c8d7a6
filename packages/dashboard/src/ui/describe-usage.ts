import type { UsageSum } from '@steward/contract'
import { formatCost } from './format.ts'

type Priced = Pick<UsageSum, 'cost_usd' | 'reported_usd' | 'computed_usd'> & {
  projected_usd?: number | undefined
}

/** The cost and its projection; an unknown price is never shown as zero. */
export const describeUsage = (usage: Priced): string => {
  const known = usage.reported_usd + usage.computed_usd
  const partly = known === 0 ? 'price unknown' : `at least ${formatCost(known)}`
  const cost = usage.cost_usd === null ? partly : formatCost(known)
  const { projected_usd } = usage
  return projected_usd === undefined || projected_usd <= known
    ? cost
    : `${cost}, about ${formatCost(projected_usd)} in an hour`
}

/** `$5 per day for claude`, where it is clear that it is a budget. */
export const limitOf = (name: string): string => name.replace(/^the budget of /, '')

export const METER_TONES = { ok: undefined, warn: 'warn', over: 'bad' } as const
