import type { Judgement, PathTier, Verdict } from '@steward/contract'
import type { PathPattern } from '../paths/compile-path.ts'
import { matchesPath } from '../paths/match-path.ts'
import type { PathRule, RuleSet } from '../policy/policy.ts'
import { isUnresolved, showMarked } from '../shell/marks.ts'
import { type PathEffect, reachOf, viewsOf } from './reach.ts'
import { BUILTIN, gravest, inShadow } from './verdicts.ts'

const TIERS: Record<PathTier, { verdict: Verdict; kinds: readonly string[]; says: string }> = {
  zeroAccess: { verdict: 'deny', kinds: ['read', 'write', 'delete'], says: 'must not be touched' },
  alertAccess: { verdict: 'alert', kinds: ['read', 'write', 'delete'], says: 'is watched' },
  confirmAccess: {
    verdict: 'ask',
    kinds: ['read', 'write', 'delete'],
    says: 'is used only after asking',
  },
  readOnly: { verdict: 'deny', kinds: ['write', 'delete'], says: 'must not be changed' },
  confirmWrite: {
    verdict: 'ask',
    kinds: ['write', 'delete'],
    says: 'is changed only after asking',
  },
  noDelete: { verdict: 'deny', kinds: ['delete'], says: 'must not be deleted' },
}

const DOES = { read: 'reads', write: 'writes', delete: 'deletes' } as const

/** What the path tiers say about one effect: the gravest of all that apply. */
export const judgePath = (effect: PathEffect, { paths }: RuleSet): Judgement => {
  const views = viewsOf(effect.path)
  return gravest(
    paths.flatMap((rule) => {
      const { verdict, kinds, says } = TIERS[rule.tier]
      if (rule.isException || !kinds.includes(effect.kind)) return []
      // Names alone show nothing but that something is there, in a directory that is closed.
      if (effect.names && !(rule.tier === 'zeroAccess' && isFixed(rule.pattern))) return []
      if (effect.rights !== undefined && isLifted(rule.tier, effect.rights)) return []
      // A new key or an empty .env shows nobody a secret.
      if (rule.tier === 'confirmAccess' && effect.kind === 'write' && effect.gentle) return []
      const reach = reachOf(effect, views, rule.pattern)
      if (reach === 'no' || isExcepted(effect, rule.tier, paths)) return []
      const shown = showMarked(effect.path)
      const milder = verdict === 'deny' ? 'ask' : verdict
      const how =
        reach === 'sure'
          ? DOES[effect.kind]
          : `may ${effect.kind === 'read' ? 'read' : effect.kind}`
      const judgement: Judgement = {
        verdict: reach === 'sure' ? verdict : milder,
        rule: rule.rule,
        reason: `${how} ${shown}, which ${says}${reach === 'around' ? ' in part' : ''}`,
        part: effect.part,
        tier: rule.rule.startsWith(`${BUILTIN}:`) ? BUILTIN : rule.tier,
        effect: effect.kind,
        path: shown,
      }
      return [rule.isShadow ? inShadow(judgement) : judgement]
    }),
  )
}

const isFixed = ({ fixed, floating }: PathPattern): boolean =>
  fixed !== undefined || floating !== undefined

/** Rights that shut others out endanger nothing; those that let nobody else write change nothing. */
const isLifted = (tier: PathTier, rights: 'private' | 'closed'): boolean =>
  tier === 'confirmWrite' ||
  (rights === 'private' && (tier === 'zeroAccess' || tier === 'confirmAccess'))

const isExcepted = ({ path }: PathEffect, tier: PathTier, rules: readonly PathRule[]): boolean => {
  if (isUnresolved(path)) return false
  // A `*` of the command is one character here, which only a `*` of the exception takes.
  const shown = showMarked(path)
  return rules.some(
    (rule) => rule.isException && rule.tier === tier && matchesPath(rule.pattern, shown),
  )
}
