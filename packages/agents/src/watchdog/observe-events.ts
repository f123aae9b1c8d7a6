import type { StewardEvent } from '@steward/contract'
import {
  agentAfterOwnCall,
  agentAfterSharedCall,
  agentAfterStart,
  agentAfterStop,
  type Moment,
} from './agent-after.ts'
import { readSign, type Sign } from './read-sign.ts'
import { createRoster, type Roster } from './roster.ts'
import { advanceTime, type WatchdogState } from './watchdog-state.ts'

const MOST_SESSIONS = 1000

/** Adds rows as they arrive; their order within a batch and between files hardly matters. */
export const observeEvents = (
  state: WatchdogState,
  events: readonly StewardEvent[],
  now: number,
): WatchdogState => {
  const time = advanceTime(state, now)
  const roster = createRoster(state)
  const labelled = new Set(state.labelled)
  for (const event of events) {
    const sign = readSign(event)
    if (sign === undefined) continue
    if (sign.kind === 'tool-call' && sign.caller !== 'unknown') labelled.add(sign.session)
    apply(roster, labelled, sign, momentOf(sign, time.watchedMs, now))
  }
  for (const session of labelled) {
    if (labelled.size <= MOST_SESSIONS) break
    labelled.delete(session)
  }
  return { ...time, ...roster.agents(), labelled }
}

const apply = (roster: Roster, labelled: ReadonlySet<string>, sign: Sign, moment: Moment): void => {
  const { session } = sign
  const agent = roster.find(session, sign.ids)
  switch (sign.kind) {
    case 'started':
    case 'spawned':
      roster.put(agentAfterStart(agent, sign, moment))
      return
    case 'stopped':
      roster.put(agentAfterStop(agent, sign, moment))
      return
    case 'session-ended':
      for (const each of roster.ofSession(session)) roster.put(agentAfterStop(each, each, moment))
      return
    case 'tool-call':
      if (sign.caller === 'agent') {
        if (agent !== undefined) roster.put(agentAfterOwnCall(agent, moment))
        return
      }
      // Once a session's rows name the caller, a row without a caller is the main assistant's.
      if (labelled.has(session)) return
      for (const each of roster.ofSession(session)) roster.put(agentAfterSharedCall(each, moment))
  }
}

/** A row from the future was written before the clock was set back, so it counts as now. */
const momentOf = ({ at = Infinity }: Sign, watchedMs: number, now: number): Moment => {
  const clamped = Math.min(at, now)
  return { at: clamped, watchedMs: watchedMs - (now - clamped) }
}
