import type { ObserverVerdict, ObserverVoteName } from '@steward/contract'
import { cleanText } from '../../output/clean-text.ts'
import { formatCost, formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'

/** One line for a cycle in which all is well; the votes and their evidence otherwise. */
export const renderVerdict = (verdict: ObserverVerdict, paint: Paint): string => {
  const { decision, escalated, votes, evidence, rows, cost } = verdict
  const colour: Record<ObserverVoteName, (text: string) => string> = {
    continue: paint.green,
    escalate: paint.yellow,
    halt: paint.red,
  }
  const calls = `${rows} ${rows === 1 ? 'call' : 'calls'}`
  const judges = [...new Set(votes.map(({ judge }) => judge))].join(' and ')
  const price = `${formatCost(cost.cycle_usd)}, ${formatCost(cost.per_primary_hour_usd)} an hour`
  const head = `${formatTime(verdict.timestamp)}  ${colour[decision](decision)}  ${calls}, by ${judges}, ${price}\n`
  if (decision === 'continue' && !escalated) return head
  const cast = votes.map(({ observer, vote, judge, reason, evidence: cited }) => {
    const about = cited.length === 0 ? '' : ` [${cited.join(', ')}]`
    return `  ${observer}: ${colour[vote](vote)} (${judge}) ${cleanText(reason)}${paint.dim(about)}\n`
  })
  const shown = evidence.map(({ row, summary }) => paint.dim(`    ${row}  ${cleanText(summary)}\n`))
  return [head, ...cast, ...shown].join('')
}
