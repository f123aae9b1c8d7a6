import type { WatchdogState } from './watchdog-state.ts'

/** Counts every silence from `at` on at the earliest: what was before is not known. */
export const assumeActiveAt = (state: WatchdogState, at: number, now: number): WatchdogState => {
  const knownMs = state.watchedMs - Math.max(0, now - at)
  const agents = new Map(
    [...state.agents].map(([key, agent]) => [
      key,
      agent.quietSinceMs >= knownMs ? agent : { ...agent, quietSinceMs: knownMs, lastSignAt: at },
    ]),
  )
  return { ...state, agents }
}
