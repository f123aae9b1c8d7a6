import type { ObservedSession, ObserverVerdict } from '@steward/contract'

/** What verdicts, oldest first, come to for each session; the one that was judged last comes first. */
export const summariseSessions = (verdicts: readonly ObserverVerdict[]): ObservedSession[] => {
  const bySession = new Map<string, ObserverVerdict[]>()
  for (const verdict of verdicts) {
    const own = bySession.get(verdict.session_id) ?? []
    bySession.set(verdict.session_id, [...own, verdict])
  }
  return [...bySession.values()]
    .flatMap((own) => {
      const [first, last] = [own[0], own.at(-1)]
      return first === undefined || last === undefined ? [] : [summarise(own, first, last)]
    })
    .toSorted((a, b) => b.lastAt.localeCompare(a.lastAt))
}

const summarise = (
  own: readonly ObserverVerdict[],
  first: ObserverVerdict,
  last: ObserverVerdict,
): ObservedSession => ({
  session_id: last.session_id,
  cycles: own.length,
  continued: own.filter(({ decision }) => decision === 'continue').length,
  escalated: own.filter(({ escalated }) => escalated).length,
  halted: own.filter(({ decision }) => decision === 'halt').length,
  firstAt: first.timestamp,
  lastAt: last.timestamp,
  cost_usd: last.cost.total_usd,
  per_primary_hour_usd: last.cost.per_primary_hour_usd,
  last,
})
