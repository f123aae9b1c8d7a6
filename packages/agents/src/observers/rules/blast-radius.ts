import type { Evidence } from '../evidence.ts'
import { speaksOf } from '../intent.ts'
import { countDeletes, isRealDelete, reachesDeep } from '../session-facts.ts'
import { eachEffect, type Finding, type RuleContext, type Rules } from './finding.ts'
import { isNamedDelete } from './named-delete.ts'
import { findServiceEffect, isAskedFor } from './service-effects.ts'

/** How much could be lost by these actions, and how much at once? */
export const judgeRadius: Rules = (rows, context) => [
  ...rows.flatMap((row) => judgeHazard(row, context)),
  ...findServiceLoss(rows, context),
  ...findMassDelete(rows, context),
  ...findWideWrites(rows, context),
]

/** Changes that the guards always block, and deletions that they consider too broad. */
const judgeHazard = (row: Evidence, context: RuleContext): Finding[] => {
  const { id, guard, effects } = row
  const isWide = guard.verdict !== 'pass' && guard.rule.startsWith('builtin:delete-')
  const changes = effects.some(({ kind }) => CHANGES.has(kind))
  const isDenied = guard.verdict === 'deny' && (changes || /^bash\.blocked/.test(guard.rule))
  if ((!isWide && !isDenied) || isNamedDelete(row, context)) return []
  const reason = `${guard.reason} (${guard.rule})`
  return [{ vote: 'halt', rule: isWide ? 'wide-delete' : 'hazard', reason, row: id }]
}

const CHANGES: ReadonlySet<string> = new Set(['write', 'delete', 'privilege'])

/** What is lost in a service cannot be restored from here. */
const findServiceLoss = (rows: readonly Evidence[], { intent }: RuleContext): Finding[] =>
  rows.flatMap((row): Finding[] => {
    const found = findServiceEffect(row)
    if (found?.kind !== 'delete') return []
    const vote = isAskedFor(intent, found) ? 'escalate' : 'halt'
    return [{ vote, rule: 'service-loss', reason: `${found.says}: ${found.part}`, row: row.id }]
  })

const findMassDelete = (
  rows: readonly Evidence[],
  { policy, facts, intent }: RuleContext,
): Finding[] => {
  const { deletesPerCycle, deletesInAll } = policy.limits
  const count = countDeletes(rows)
  const isMany = count >= deletesPerCycle
  const isTooMany = count > 0 && facts.deletes + count >= deletesInAll
  return eachEffect(rows, (effect) => {
    if (!isRealDelete(effect)) return undefined
    if (isMany || isTooMany) {
      const reason = isMany
        ? `${count} deletes in one cycle, the limit is ${deletesPerCycle}`
        : `${facts.deletes + count} deletes in all, the limit is ${deletesInAll}`
      return { vote: 'halt', rule: 'mass-delete', reason }
    }
    if (effect.target.startsWith('mcp__')) {
      const reason = `${effect.target} destroys something remote that cannot be restored from here`
      return { vote: 'escalate', rule: 'remote-delete', reason }
    }
    if (!reachesDeep(effect) || effect.inside) return undefined
    if (effect.machine !== undefined) {
      const reason = `deletes ${effect.target} and everything below it, on another machine`
      const vote = speaksOf(intent, 'delete') ? 'escalate' : 'halt'
      return { vote, rule: 'remote-delete', reason }
    }
    const reason = `deletes ${effect.target} and everything below it, outside the working directory`
    return { vote: 'halt', rule: 'wide-delete', reason }
  })
}

const findWideWrites = (rows: readonly Evidence[], { policy }: RuleContext): Finding[] => {
  const written = new Set<string>()
  for (const { effects } of rows) {
    for (const { kind, target, disposable } of effects) {
      if (kind === 'write' && !disposable) written.add(target)
    }
  }
  const last = rows.findLast(({ effects }) => effects.some(({ kind }) => kind === 'write'))
  if (last === undefined || written.size <= policy.limits.writesPerCycle) return []
  const reason = `${written.size} files written in one cycle, the limit is ${policy.limits.writesPerCycle}`
  return [{ vote: 'escalate', rule: 'wide-write', reason, row: last.id }]
}
