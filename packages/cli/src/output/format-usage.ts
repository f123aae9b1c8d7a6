import type { UsageSum } from '@steward/contract'
import { formatCost } from './format.ts'

type Tokens = Pick<
  UsageSum,
  'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_write_tokens'
>

/** Input, output, cache read and cache write, as `1.2M`, which fits a narrow terminal. */
export const formatTokens = (sum: Tokens): string[] =>
  [sum.input_tokens, sum.output_tokens, sum.cache_read_tokens, sum.cache_write_tokens].map(
    shortCount,
  )

/** The cost, or the part of it that is known; never a zero for what is not. */
export const formatUsageCost = ({
  cost_usd,
  reported_usd,
  computed_usd,
}: Pick<UsageSum, 'cost_usd' | 'reported_usd' | 'computed_usd'>): string => {
  if (cost_usd !== null) return formatCost(cost_usd)
  const known = reported_usd + computed_usd
  return known === 0 ? formatCost(null) : `at least ${formatCost(known)}`
}

const STEPS = [
  [1_000_000_000, 'G'],
  [1_000_000, 'M'],
  [1000, 'k'],
] as const

const shortCount = (count: number): string => {
  for (const [size, unit] of STEPS) {
    if (count >= size) return `${(count / size).toFixed(count >= size * 100 ? 0 : 1)}${unit}`
  }
  return String(count)
}
