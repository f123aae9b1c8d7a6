import type { Judgement } from '@steward/contract'
import type { PatternRule, Policy } from '../policy/policy.ts'
import type { Effect, ShellReading, Unit } from '../shell/effects.ts'
import { readShell, type ShellContext } from '../shell/read-shell.ts'
import { judgeBreadth } from './judge-breadth.ts'
import { judgePath } from './judge-path.ts'
import { gravest, PASS } from './verdicts.ts'

export interface CommandPlace extends Omit<ShellContext, 'home'> {
  cwd: string
}

/** Judges a command line: every part by itself, and what each does by its effect. */
export const judgeCommand = (text: string, policy: Policy, place: CommandPlace): Judgement =>
  judgeReading(readShell(text, { ...place, home: policy.home }), policy, place)

const judgeReading = (reading: ShellReading, policy: Policy, place: CommandPlace): Judgement => {
  const trusted = reading.units.map((unit) => isTrusted(unit, policy))
  return gravest([
    ...reading.units.map((unit, n) => (trusted[n] ? PASS : judgeUnit(unit, policy))),
    ...reading.effects.map((effect) =>
      judgeEffect(effect, trusted[effect.unit] ?? false, policy, place),
    ),
  ])
}

/** Trust holds for the command as it would run, not for what it looks like in quotes. */
const isTrusted = ({ texts: [first] }: Unit, { patterns }: Policy): boolean =>
  first !== undefined && patterns.trusted.some(({ matches }) => matches(first.text))

const judgeUnit = (unit: Unit, { patterns }: Policy): Judgement => {
  const find = (rules: readonly PatternRule[]) =>
    rules.find(({ matches }) => unit.texts.some(({ text, inert }) => matches(text, inert)))
  const blocked = find(patterns.blocked)
  if (blocked !== undefined) return describe('deny', blocked, unit)
  const confirm = find(patterns.confirm)
  if (confirm !== undefined) return describe('ask', confirm, unit)
  const alert = find(patterns.alert)
  return alert === undefined ? PASS : describe('alert', alert, unit)
}

const describe = (
  verdict: Judgement['verdict'],
  { rule, reason }: PatternRule,
  { part }: Unit,
): Judgement => ({
  verdict,
  rule,
  reason: reason || 'matches a pattern of the policy',
  part,
})

const judgeEffect = (
  effect: Effect,
  isTrustedPart: boolean,
  policy: Policy,
  place: CommandPlace,
): Judgement => {
  const { part } = effect
  switch (effect.kind) {
    case 'read':
    case 'write':
    case 'delete': {
      const breadth = judgeBreadth(effect, { cwd: place.cwd, home: policy.home })
      const lifted = isTrustedPart && breadth?.verdict !== 'deny'
      return gravest([judgePath(effect, policy), lifted ? PASS : (breadth ?? PASS)])
    }
    case 'hazard':
      if (isTrustedPart && effect.verdict !== 'deny') return PASS
      return { verdict: effect.verdict, rule: effect.rule, reason: effect.reason, part }
    case 'unresolved':
      if (isTrustedPart) return PASS
      return { verdict: 'ask', rule: 'builtin:unresolved', reason: effect.what, part }
    default:
      return PASS
  }
}
