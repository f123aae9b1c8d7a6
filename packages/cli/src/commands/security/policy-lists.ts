import {
  nearestName,
  PATH_TIERS,
  PATTERN_SECTIONS,
  type PathTier,
  type PatternSection,
} from '@steward/contract'
import { InvalidArgumentError } from 'commander'

/** Where an entry of the policy stands: a section of patterns, or a tier of paths. */
export type PolicyList = { section: PatternSection } | { tier: PathTier }

export const POLICY_LISTS: readonly string[] = [...PATTERN_SECTIONS, ...PATH_TIERS]

export const parsePolicyList = (word: string): PolicyList => {
  const section = PATTERN_SECTIONS.find((each) => each === word)
  if (section !== undefined) return { section }
  const tier = PATH_TIERS.find((each) => each.toLowerCase() === word.toLowerCase())
  if (tier !== undefined) return { tier }
  const near = nearestName(word, POLICY_LISTS)
  throw new InvalidArgumentError(
    `${near === undefined ? '' : `Did you mean ${near}? `}There are ${POLICY_LISTS.join(', ')}.`,
  )
}
