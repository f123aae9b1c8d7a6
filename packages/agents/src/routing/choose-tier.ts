import type { AgentSystem, ModelTier } from '@steward/contract'
import { type CompiledRouting, matchFirst } from './compiled-routing.ts'
import type { Token } from './token.ts'

/** The tier a request asks for in words; parallel custom agents stay at fast or standard unless deep is asked for. */
export const chooseTier = (
  own: ModelTier,
  system: AgentSystem,
  tiers: CompiledRouting['tiers'],
  tokens: readonly Token[],
): ModelTier => {
  if (matchFirst(tiers.deep, tokens) !== undefined) return 'deep'
  if (matchFirst(tiers.standard, tokens) !== undefined) return 'standard'
  // What thinks deepest is not made to hurry because one part is simple.
  const maySpeedUp = own !== 'deep' || system === 'custom'
  if (maySpeedUp && matchFirst(tiers.fast, tokens) !== undefined) return 'fast'
  return own
}
