import type { ObserverPolicy, ObserverVoteName } from '@steward/contract'
import type { Evidence, ObservedEffect } from '../evidence.ts'
import type { Intent } from '../intent.ts'
import type { SessionFacts } from '../session-facts.ts'

/** The context of the rules. */
export interface RuleContext {
  policy: ObserverPolicy
  intent: Intent
  /** Facts about earlier rows. */
  facts: SessionFacts
  /** The user's home directory, for `~`. */
  home: string
  /** The files of the observers and guards themselves. */
  oversight: readonly string[]
}

/** A rule's objection to a row. */
export interface Finding {
  vote: Exclude<ObserverVoteName, 'continue'>
  rule: string
  reason: string
  row: string
}

/** One observer's rules: their objections to these rows. */
export type Rules = (rows: readonly Evidence[], context: RuleContext) => Finding[]

/** Findings for each effect of each row. */
export const eachEffect = (
  rows: readonly Evidence[],
  find: (effect: ObservedEffect, row: Evidence) => Omit<Finding, 'row'> | undefined,
): Finding[] =>
  rows.flatMap((row) =>
    row.effects.flatMap((effect) => {
      const found = find(effect, row)
      return found === undefined ? [] : [{ ...found, row: row.id }]
    }),
  )
