import type { StewardEvent } from '@steward/contract'
import { type Look, lookForSilence } from './look-for-silence.ts'
import { observeEvents } from './observe-events.ts'
import { createWatchdogState, type WatchdogState } from './watchdog-state.ts'

export interface WatchdogPorts {
  now: () => number
  silenceMs: () => number
}

/** Events read from the logs before watching starts. */
export interface PastEvents {
  events: readonly StewardEvent[]
  /** Epoch ms; tool calls before it were not read, so earlier periods never count as silence. */
  knownSince?: number
}

/** The state machine with its state and clock. */
export interface Watchdog {
  begin: (past: PastEvents) => void
  see: (events: readonly StewardEvent[]) => void
  look: () => Pick<Look, 'alerts' | 'nextLookMs'>
  /** How many agents are watched now. */
  watched: () => number
}

export const createWatchdog = ({ now, silenceMs }: WatchdogPorts): Watchdog => {
  let state = createWatchdogState()
  const see = (events: readonly StewardEvent[]): void => {
    state = observeEvents(state, events, now())
  }
  return {
    see,
    begin: ({ events, knownSince }) => {
      see(events)
      if (knownSince !== undefined) state = assumeActiveAt(state, knownSince, now())
    },
    look: () => {
      const look = lookForSilence(state, now(), silenceMs())
      state = look.state
      return look
    },
    watched: () => [...state.agents.values()].filter(({ status }) => status === 'watched').length,
  }
}

/**
 * Counts every silence from `at` at the earliest, because nothing is known about the time before.
 */
const assumeActiveAt = (state: WatchdogState, at: number, now: number): WatchdogState => {
  const knownMs = state.watchedMs - Math.max(0, now - at)
  const agents = new Map(
    [...state.agents].map(([key, agent]) => [
      key,
      agent.quietSinceMs >= knownMs ? agent : { ...agent, quietSinceMs: knownMs, lastSignAt: at },
    ]),
  )
  return { ...state, agents }
}
