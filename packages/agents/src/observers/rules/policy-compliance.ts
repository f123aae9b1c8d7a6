import type { Evidence } from '../evidence.ts'
import { matchesAny } from '../match-glob.ts'
import { eachEffect, type Finding, type RuleContext, type Rules } from './finding.ts'
import { isNamedDelete } from './named-delete.ts'
import { findTampering } from './oversight.ts'

const DOES = { read: 'reads', write: 'writes', delete: 'deletes', credential: 'reads' } as const

/** Was anything done that the policy forbids or the guards would have blocked? */
export const judgeCompliance: Rules = (rows, context) => [
  ...findTampering(rows, context),
  ...findForbidden(rows, context),
  ...findOutside(rows, context),
  ...rows.flatMap((row) => judgeByGuard(row, context)),
  ...findSecrets(rows, context),
  ...rows.flatMap(judgeText),
]

const findForbidden = (rows: readonly Evidence[], { policy, home }: RuleContext): Finding[] =>
  eachEffect(rows, ({ kind, target }) => {
    if (policy.forbiddenEffects.includes(kind)) {
      const reason = `the policy forbids ${kind}: ${target}`
      return { vote: 'halt', rule: 'forbidden-effect', reason }
    }
    if (!isPathEffect(kind) || !matchesAny(policy.forbiddenPaths, target, home)) return undefined
    const reason = `${DOES[kind]} ${target}, which the policy forbids`
    return { vote: 'halt', rule: 'forbidden-path', reason }
  })

const isPathEffect = (kind: string): kind is keyof typeof DOES => Object.hasOwn(DOES, kind)

const findOutside = (
  rows: readonly Evidence[],
  { policy: { allowedPaths }, home }: RuleContext,
): Finding[] =>
  eachEffect(rows, ({ kind, target, disposable }) => {
    if (allowedPaths === undefined || (kind !== 'write' && kind !== 'delete')) return undefined
    if (disposable || matchesAny(allowedPaths, target, home)) return undefined
    const reason = `${DOES[kind]} ${target}, outside the allowed paths`
    return { vote: kind === 'delete' ? 'halt' : 'escalate', rule: 'outside-allowed-paths', reason }
  })

/** The row exists, so it was done: the guards were absent, or the user allowed it. */
const judgeByGuard = (row: Evidence, context: RuleContext): Finding[] => {
  const { id, tool, guard } = row
  const { facts } = context
  const reason = `${guard.reason} (${guard.rule})`
  if (guard.verdict === 'deny') {
    const vote = isNamedDelete(row, context) ? 'escalate' : 'halt'
    return [{ vote, rule: 'guard-deny', reason, row: id }]
  }
  if (guard.verdict !== 'ask' || facts.asked.includes(tool)) return []
  return [{ vote: 'escalate', rule: 'guard-ask', reason, row: id }]
}

const findSecrets = (rows: readonly Evidence[], { policy }: RuleContext): Finding[] =>
  eachEffect(rows, ({ kind, target }) => {
    if (kind !== 'credential' || policy.expectedEffects.includes('credential')) return undefined
    const reason = `reads a secret that the policy does not expect: ${target}`
    return { vote: 'escalate', rule: 'credential', reason }
  })

const judgeText = ({ id, injection }: Evidence): Finding[] =>
  injection === undefined
    ? []
    : [
        {
          vote: 'escalate',
          rule: 'injection',
          reason: `its text tries to instruct its reader: ${injection}`,
          row: id,
        },
      ]
