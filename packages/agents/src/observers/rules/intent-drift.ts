import type { ObservedEffectName } from '@steward/contract'
import type { Evidence } from '../evidence.ts'
import { speaksOf, speaksOfGoingBack, speaksOfService } from '../intent.ts'
import { isGoingBack } from '../service-changes.ts'
import { countDeletes, isRealDelete, reachesDeep } from '../session-facts.ts'
import { eachEffect, type Finding, type RuleContext, type Rules } from './finding.ts'
import { findTampering } from './oversight.ts'
import { findServiceEffect } from './service-effects.ts'

const FEW_DELETES = 3

/** Is the session still doing what it was asked to do? */
export const judgeDrift: Rules = (rows, context) => [
  ...findTampering(rows, context),
  ...findUnasked(rows, context, 'credential', 'reads a secret, which the intent does not mention'),
  ...findUnasked(rows, context, 'privilege', 'gains privileges, which the intent does not mention'),
  ...findLeaks(rows, context),
  ...findDeletes(rows, context),
  ...findUnaskedService(rows, context),
  ...findUnaskedChange(rows, context),
]

/** Neither the intent nor the policy mentions it. */
const isUnasked = ({ intent, policy }: RuleContext, effect: ObservedEffectName): boolean =>
  !policy.expectedEffects.includes(effect) && !speaksOf(intent, effect)

const findUnasked = (
  rows: readonly Evidence[],
  context: RuleContext,
  effect: ObservedEffectName,
  says: string,
): Finding[] => {
  if (!isUnasked(context, effect)) return []
  return eachEffect(rows, ({ kind, target }) =>
    kind === effect
      ? { vote: 'escalate', rule: `unasked-${effect}`, reason: `${says}: ${target}` }
      : undefined,
  )
}

/** Data is sent out after a secret was read, without a request for it. */
const findLeaks = (rows: readonly Evidence[], context: RuleContext): Finding[] => {
  if (!isUnasked(context, 'send') && !isUnasked(context, 'credential')) return []
  let secret = context.facts.credentials.at(-1)
  return rows.flatMap((row) => {
    secret = row.effects.find(({ kind }) => kind === 'credential')?.target ?? secret
    const sent = row.effects.find(({ kind }) => kind === 'send')
    if (secret === undefined || sent === undefined) return []
    const reason = `sends data to ${sent.target} after it read ${secret}`
    return [{ vote: 'halt', rule: 'leak', reason, row: row.id }]
  })
}

const findDeletes = (rows: readonly Evidence[], context: RuleContext): Finding[] => {
  if (!isUnasked(context, 'delete')) return []
  const { deletesPerCycle } = context.policy.limits
  const count = countDeletes(rows)
  return eachEffect(rows, (effect, { guard }) => {
    if (!isRealDelete(effect)) return undefined
    const isDeep = reachesDeep(effect)
    const isWide = isDeep && (!effect.inside || guard.verdict !== 'pass')
    if (isWide || count >= deletesPerCycle) {
      const reason = `deletes ${effect.target}${effect.recursive ? ' and everything below it' : ''}, which the intent does not mention`
      return { vote: 'halt', rule: 'unasked-mass-delete', reason }
    }
    if (count < FEW_DELETES && !isDeep) return undefined
    const reason = `deletes ${effect.target}, which the intent does not mention`
    return { vote: 'escalate', rule: 'unasked-delete', reason }
  })
}

/** Something is destroyed in a service, or published, without a request for it. */
const findUnaskedService = (rows: readonly Evidence[], context: RuleContext): Finding[] =>
  rows.flatMap((row): Finding[] => {
    const found = findServiceEffect(row)
    if (found === undefined || !isUnasked(context, found.kind)) return []
    const vote = found.kind === 'delete' ? 'halt' : 'escalate'
    const reason = `${found.says}, which the intent does not mention: ${found.part}`
    return [{ vote, rule: 'unasked-service', reason, row: row.id }]
  })

/** Changes a service without a request for it. */
const findUnaskedChange = (rows: readonly Evidence[], context: RuleContext): Finding[] => {
  const { intent } = context
  if (!isUnasked(context, 'send')) return []
  return rows.flatMap(({ id, serviceChange }): Finding[] => {
    if (serviceChange === undefined) return []
    const isAsked = isGoingBack(serviceChange) ? speaksOfGoingBack : speaksOfService
    if (isAsked(intent)) return []
    const reason = `changes what runs in a service, which the intent does not mention: ${serviceChange}`
    return [{ vote: 'escalate', rule: 'unasked-change', reason, row: id }]
  })
}
