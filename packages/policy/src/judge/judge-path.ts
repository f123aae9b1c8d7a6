import type { Judgement, PathTier, Verdict } from '@steward/contract'
import { liesBelow, matchesPath, namesPath } from '../paths/match-path.ts'
import type { PathRule, RuleSet } from '../policy/policy.ts'
import type { Effect } from '../shell/effects.ts'
import { isPlain, isUnresolved, MARK, showMarked } from '../shell/marks.ts'
import { BUILTIN, gravest, inShadow } from './verdicts.ts'

export type PathEffect = Extract<Effect, { kind: 'read' | 'write' | 'delete' }>

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
export const judgePath = (effect: PathEffect, { paths }: RuleSet): Judgement =>
  gravest(
    paths.flatMap((rule) => {
      const { verdict, kinds, says } = TIERS[rule.tier]
      if (rule.isException || !kinds.includes(effect.kind)) return []
      const reach = reachOf(effect, rule)
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

type Reach = 'sure' | 'around' | 'maybe' | 'no'

/** Whether the effect reaches what the rule protects: surely, by going through a place far above it, or perhaps. */
const reachOf = (effect: PathEffect, { pattern }: PathRule): Reach => {
  const { path } = effect
  if (pattern.root === '') return reachOfFloating(effect, { pattern })
  const isMaybe = isUnresolved(path)
  if (isMaybe && literalDirectory(path) === '') {
    return hasSpecificName(path, pattern.name) && !effect.mention && matchesPath(pattern, path)
      ? 'maybe'
      : 'no'
  }
  if (matchesPath(pattern, path)) {
    if (!isMaybe) return 'sure'
    const isNear = `${pattern.root}/`.startsWith(`${literalDirectory(path).toLowerCase()}`)
    return effect.mention && !isNear ? 'no' : 'maybe'
  }
  if (!effect.recursive || !liesBelow(pattern, path)) return 'no'
  if (isMaybe) return 'maybe'
  const isDirect =
    path.toLowerCase() === pattern.root ||
    (`${pattern.root}/`.startsWith(path === '/' ? '/' : `${path.toLowerCase()}/`) &&
      effect.kind !== 'read')
  return isDirect ? 'sure' : 'around'
}

/** A rule for a name that may be anywhere speaks only about paths that name something. */
const reachOfFloating = ({ path }: PathEffect, { pattern }: Pick<PathRule, 'pattern'>): Reach => {
  if (isPlain(path)) return matchesPath(pattern, path) ? 'sure' : 'no'
  const directory = literalDirectory(path)
  if (directory !== '' && matchesPath(pattern, directory.replace(/\/$/, ''))) return 'sure'
  // A value without a slash is no name that anyone protects.
  const named = path.replaceAll(MARK.segment, 'x')
  if (
    !sharesEnding(path, pattern) ||
    !hasSpecificName(path, pattern.name) ||
    !namesPath(pattern, named)
  )
    return 'no'
  return isUnresolved(path) ? 'maybe' : 'sure'
}

/** `*.kdbx` speaks about `a*.kdbx` and `*.kd*`, not about every name that may go on with a star. */
const sharesEnding = (path: string, { isSuffix, name }: PathRule['pattern']): boolean => {
  if (!isSuffix) return true
  const last = (path.split('/').at(-1) ?? '').toLowerCase()
  const ending = last.split(MARKS).at(-1) ?? ''
  return ending === '' ? last.includes(name.slice(0, 3)) : ending.endsWith(name)
}

const MARKS = /[\uE000-\uE008]/

/** The directory that is known whatever the marks stand for, with its slash; empty when there is none. */
export const literalDirectory = (path: string): string => {
  const at = path.search(MARKS)
  const known = at === -1 ? path : path.slice(0, at)
  return known.slice(0, known.lastIndexOf('/') + 1)
}

const hasSpecificName = (path: string, wanted: string): boolean => {
  const last = path.split('/').at(-1) ?? ''
  const literal = last.replace(/[\uE000-\uE008]/g, '').toLowerCase()
  const stem = literal.replace(/\.[a-z0-9]+$/, '')
  return (
    stem !== '' ||
    (literal !== '' &&
      (literal === wanted || (literal.startsWith('.') && !/^[\uE000-\uE008]/.test(last))))
  )
}

const isExcepted = ({ path }: PathEffect, tier: PathTier, rules: readonly PathRule[]): boolean => {
  if (isUnresolved(path)) return false
  // A `*` of the command is one character here, which only a `*` of the exception takes.
  const shown = showMarked(path)
  return rules.some(
    (rule) => rule.isException && rule.tier === tier && matchesPath(rule.pattern, shown),
  )
}
