import type { Evidence } from '../evidence.ts'
import { matchesAny } from '../match-glob.ts'
import type { Finding, RuleContext } from './finding.ts'

const LIFTS = /\bsteward(\.mjs)?["']?\s+observe\s+lift\b/

/** Detects a session that changes its own oversight. */
export const findTampering = (
  rows: readonly Evidence[],
  { oversight, home }: RuleContext,
): Finding[] =>
  rows.flatMap((row): Finding[] => {
    const touched = row.effects.find(
      ({ kind, target }) =>
        (kind === 'write' || kind === 'delete') && matchesAny(oversight, target, home),
    )
    if (touched === undefined && !LIFTS.test(row.detail)) return []
    const what = touched === undefined ? 'lifts a halt itself' : `changes ${touched.target}`
    return [
      { vote: 'halt', rule: 'oversight', reason: `${what}: it is being watched`, row: row.id },
    ]
  })
