import type { Judgement } from '@steward/contract'
import type { PatternRule, Policy, RuleSet } from '../policy/policy.ts'
import { rulesFor } from '../policy/rules-for.ts'
import type { Effect, ShellReading, Unit } from '../shell/effects.ts'
import { readShell, type ShellContext } from '../shell/read-shell.ts'
import { judgeBreadth } from './judge-breadth.ts'
import { judgePath } from './judge-path.ts'
import { BUILTIN, gravest, inShadow, PASS } from './verdicts.ts'

export interface CommandPlace extends Omit<ShellContext, 'home'> {
  cwd: string
  /** For a record of what was done: rules about paths of this machine do not apply to others. */
  isRecord?: boolean
}

/** Judges a command line: each part by the patterns, and each effect by its path. */
export const judgeCommand = (text: string, policy: Policy, place: CommandPlace): Judgement =>
  judgeReading(readShell(text, { ...place, home: policy.home }), policy, place)

const judgeReading = (reading: ShellReading, policy: Policy, place: CommandPlace): Judgement => {
  const rules = rulesFor(policy, place.cwd)
  const trusted = reading.units.map((unit) => isTrusted(unit, rules))
  const where = { cwd: place.cwd, home: policy.home }
  return gravest([
    ...reading.units.map((unit, n) => (trusted[n] ? PASS : judgeUnit(unit, rules))),
    ...reading.effects.map((effect) =>
      judgeEffect(effect, trusted[effect.unit] ?? false, rules, where, place.isRecord ?? false),
    ),
  ])
}

/** Trust applies to the command that would run, not to text inside quotes. */
const isTrusted = ({ texts: [first] }: Unit, { patterns }: RuleSet): boolean =>
  first !== undefined &&
  patterns.trusted.some(({ isShadow, matches }) => !isShadow && matches(first.text))

const SECTIONS = [
  ['blocked', 'deny'],
  ['confirm', 'ask'],
  ['alert', 'alert'],
] as const

/** Returns the first match in the most severe section, and every match of a rule in shadow. */
export const judgeUnit = (unit: Unit, { patterns }: RuleSet): Judgement => {
  const meets = ({ matches }: PatternRule) =>
    unit.texts.some(({ text, inert }) => matches(text, inert))
  const found: Judgement[] = []
  let isDecided = false
  for (const [section, verdict] of SECTIONS) {
    for (const rule of patterns[section]) {
      if ((isDecided && !rule.isShadow) || !meets(rule)) continue
      const judgement = describe(verdict, rule, unit)
      found.push(rule.isShadow ? inShadow(judgement) : judgement)
      isDecided ||= !rule.isShadow
    }
  }
  return gravest(found)
}

const describe = (
  verdict: Judgement['verdict'],
  { rule, reason, section }: PatternRule,
  { part }: Unit,
): Judgement => ({
  verdict,
  rule,
  reason: reason || 'matches a pattern of the policy',
  part,
  tier: section,
})

const judgeEffect = (
  effect: Effect,
  isTrustedPart: boolean,
  rules: RuleSet,
  where: { cwd: string; home: string },
  isRecord: boolean,
): Judgement => {
  const { part } = effect
  switch (effect.kind) {
    case 'read':
    case 'write':
    case 'delete': {
      const isElsewhere = isRecord && effect.machine !== undefined
      if (isElsewhere && effect.kind !== 'delete') return PASS
      const breadth = judgeBreadth(effect, where)
      const lifted = isTrustedPart && breadth?.verdict !== 'deny'
      // Of two refusals, report the one that says how much would be lost.
      const byPath = isElsewhere ? PASS : judgePath(effect, rules)
      return gravest([lifted ? PASS : (breadth ?? PASS), byPath])
    }
    case 'hazard':
      if (isTrustedPart && effect.verdict !== 'deny') return PASS
      return {
        verdict: effect.verdict,
        rule: effect.rule,
        reason: effect.reason,
        part,
        tier: BUILTIN,
      }
    case 'unresolved':
      if (isTrustedPart) return PASS
      return {
        verdict: 'ask',
        rule: 'builtin:unresolved',
        reason: effect.what,
        part,
        tier: BUILTIN,
      }
    default:
      return PASS
  }
}
