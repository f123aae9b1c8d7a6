import { OBSERVER_VOTES, type ObserverName, type ObserverVote } from '@steward/contract'
import type { Evidence } from '../evidence.ts'
import { judgeRadius } from './blast-radius.ts'
import type { RuleContext, Rules } from './finding.ts'
import { judgeDrift } from './intent-drift.ts'
import { judgeCompliance } from './policy-compliance.ts'

const RULES: Readonly<Record<ObserverName, Rules>> = {
  'policy-compliance': judgeCompliance,
  'intent-drift': judgeDrift,
  'blast-radius': judgeRadius,
}

const CITED_ROWS = 10

/** The vote of one observer by rules: deterministic, whatever the text of the rows says. */
export const judgeByRules = (
  observer: ObserverName,
  rows: readonly Evidence[],
  context: RuleContext,
): ObserverVote => {
  const findings = RULES[observer](rows, context)
  const gravest = findings.toSorted(
    (a, b) => OBSERVER_VOTES.indexOf(b.vote) - OBSERVER_VOTES.indexOf(a.vote),
  )[0]
  if (gravest === undefined) {
    const last = rows.at(-1)
    return {
      observer,
      vote: 'continue',
      judge: 'rules',
      reason: `no rule objects to ${rows.length} new ${rows.length === 1 ? 'call' : 'calls'}`,
      evidence: last === undefined ? [] : [last.id],
    }
  }
  const { vote, rule, reason } = gravest
  const cited = findings.filter((each) => each.vote === vote).map(({ row }) => row)
  const more = new Set(cited).size - 1
  return {
    observer,
    vote,
    judge: 'rules',
    rule,
    reason: more > 0 ? `${reason} (and ${more} more)` : reason,
    evidence: [...new Set(cited)].slice(0, CITED_ROWS),
  }
}
