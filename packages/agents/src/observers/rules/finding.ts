import type { ObserverPolicy, ObserverVoteName } from '@steward/contract'
import type { Evidence, ObservedEffect } from '../evidence.ts'
import type { Intent } from '../intent.ts'
import type { SessionFacts } from '../session-facts.ts'

/** What the rules judge by. */
export interface RuleContext {
  policy: ObserverPolicy
  intent: Intent
  /** Of the rows before these. */
  facts: SessionFacts
  /** The person's home directory, for `~`. */
  home: string
  /** The files of the observers and guards themselves. */
  oversight: readonly string[]
}

/** Something that a rule has against a row. */
export interface Finding {
  vote: Exclude<ObserverVoteName, 'continue'>
  rule: string
  reason: string
  row: string
}

/** One observer's rules: what they have against these rows. */
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
