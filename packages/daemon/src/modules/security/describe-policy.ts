import type { PolicyState } from '@steward/assistants'
import {
  PATH_TIERS,
  type PathTier,
  type PatternSection,
  PROMPT_CATEGORIES,
  type SecurityOverview,
} from '@steward/contract'
import { PROMPT_PATTERNS } from '@steward/policy'

const EFFECTS: Readonly<Record<PathTier, string>> = {
  zeroAccess: 'must not be touched',
  alertAccess: 'is watched',
  confirmAccess: 'is used only after asking',
  readOnly: 'must not be changed',
  confirmWrite: 'is changed only after asking',
  noDelete: 'must not be deleted',
}

type Described = Pick<
  SecurityOverview,
  | 'version'
  | 'lastUpdated'
  | 'philosophy'
  | 'source'
  | 'problem'
  | 'warnings'
  | 'trusted'
  | 'blocked'
  | 'confirm'
  | 'alerts'
  | 'pathTiers'
  | 'shadow'
>

/** The active policy as its page shows it. */
export const describePolicy = ({ policy, problem }: PolicyState): Described => {
  const { definition, patterns, paths, source, warnings } = policy
  const describe = (section: PatternSection) =>
    definition.bash[section].map(({ pattern, reason }, index) => ({
      pattern,
      reason,
      rule: patterns[section][index]?.rule ?? '',
      shadow: patterns[section][index]?.isShadow ?? false,
    }))
  return {
    version: definition.version,
    lastUpdated: definition.last_updated ?? null,
    philosophy: [definition.philosophy.mode, definition.philosophy.principle]
      .filter((text) => text !== undefined && text !== '')
      .join(': '),
    source,
    problem: problem?.kind === 'broken' ? problem.text : null,
    warnings,
    trusted: describe('trusted'),
    blocked: describe('blocked'),
    confirm: describe('confirm'),
    alerts: describe('alert'),
    pathTiers: PATH_TIERS.filter((tier) => definition.paths[tier].length > 0).map((tier) => ({
      tier,
      effect: EFFECTS[tier],
      paths: definition.paths[tier],
      rules: definition.paths[tier].map((path) => {
        const rule = `paths.${tier}: ${path}`
        return { path, rule, shadow: paths.some((each) => each.rule === rule && each.isShadow) }
      }),
    })),
    shadow: definition.shadow,
  }
}

/** The patterns of the prompt inspector. */
export const describePromptPatterns = (): Pick<
  SecurityOverview,
  'injectionPatterns' | 'promptGuardPatterns'
> => ({
  injectionPatterns: PROMPT_PATTERNS.map(({ category, description, pattern, effect }) => ({
    category,
    description,
    pattern: pattern.source,
    effect,
  })),
  promptGuardPatterns: PROMPT_CATEGORIES.map((category) => ({
    category,
    count: PROMPT_PATTERNS.filter((each) => each.category === category).length,
  })),
})
