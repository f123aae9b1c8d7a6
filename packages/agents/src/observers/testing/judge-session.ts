import { OBSERVERS, type ObserverVoteName, observerPolicy } from '@steward/contract'
import { decide } from '../decide.ts'
import type { ReadCall } from '../evidence.ts'
import { readEvidence } from '../read-evidence.ts'
import { judgeByRules } from '../rules/judge-by-rules.ts'
import { NO_FACTS } from '../session-facts.ts'
import { row } from './rows.ts'

/** The decision of all observers, by rules alone, on a session that runs these commands. */
export const judgeSession = (
  intent: string,
  commands: readonly string[],
  readCall: ReadCall,
): ObserverVoteName => {
  const rows = commands.flatMap((command, at) => {
    const read = readEvidence(row(at, command), at + 1, readCall, '/home/u')
    return read === undefined ? [] : [read]
  })
  const context = {
    policy: observerPolicy.parse({}),
    intent: { text: intent, source: 'policy' },
    facts: NO_FACTS,
    home: '/home/u',
    oversight: [],
  } as const
  return decide(OBSERVERS.map((observer) => judgeByRules(observer, rows, context))).decision
}
