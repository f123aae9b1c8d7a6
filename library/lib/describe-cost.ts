import type { JsonObject } from '@steward/contract'

/** An unknown cost is named as such, because a zero would look like a price. */
export const describeCost = (dollars: number | null): JsonObject =>
  dollars === null ? { cost: 'unknown' } : { cost: formatCost(dollars), cost_usd: dollars }

const formatCost = (dollars: number): string =>
  dollars > 0 && dollars < 0.01 ? 'less than $0.01' : `$${dollars.toFixed(2)}`
