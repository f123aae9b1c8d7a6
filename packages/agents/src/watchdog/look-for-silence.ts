import {
  advanceTime,
  WATCHDOG_LOOK_MS,
  type WatchdogState,
  type WatchedAgent,
} from './watchdog-state.ts'

/** One agent that has been silent for too long. */
export interface SilenceAlert {
  session_id: string
  subagent_id: string
  subagent_type: string
  description: string
  /** The time of its last sign of life, in ISO form. */
  since: string
  silentSeconds: number
}

export interface Look {
  state: WatchdogState
  alerts: readonly SilenceAlert[]
  /** When to check next; undefined without an agent to watch. */
  nextLookMs: number | undefined
}

/** An agent that was silent this long is dropped: its host died, or its stop was lost. */
export const FORGET_SILENT_MS = 30 * 60_000
/** The same for an agent that is only known through its session's activity. */
export const FORGET_UNNAMED_MS = 6 * 3_600_000

const SHORTEST_LOOK_MS = 10

/**
 * Reports each silence once; an agent is reported again only after a new sign of life and a new
 * silence.
 */
export const lookForSilence = (state: WatchdogState, now: number, silenceMs: number): Look => {
  const time = advanceTime(state, now)
  const agents = new Map(state.agents)
  const alerts: SilenceAlert[] = []
  let nextDueMs: number | undefined
  for (const [key, agent] of state.agents) {
    if (agent.status !== 'watched') continue
    const silentMs = time.watchedMs - agent.quietSinceMs
    const unnamedMs = time.watchedMs - agent.namedSinceMs
    if (silentMs >= Math.max(FORGET_SILENT_MS, 2 * silenceMs) || unnamedMs >= FORGET_UNNAMED_MS) {
      agents.set(key, { ...agent, status: 'forgotten' })
      continue
    }
    if (silentMs >= silenceMs && !agent.alerted) {
      agents.set(key, { ...agent, alerted: true })
      alerts.push(alertOf(agent, silentMs))
    }
    const dueMs = silentMs < silenceMs ? silenceMs - silentMs : WATCHDOG_LOOK_MS
    nextDueMs = Math.min(nextDueMs ?? WATCHDOG_LOOK_MS, dueMs)
  }
  const nextLookMs = nextDueMs === undefined ? undefined : Math.max(nextDueMs, SHORTEST_LOOK_MS)
  return { state: { ...state, ...time, agents }, alerts, nextLookMs }
}

const alertOf = (agent: WatchedAgent, silentMs: number): SilenceAlert => ({
  session_id: agent.session,
  subagent_id: agent.ids[0] ?? '',
  subagent_type: agent.type,
  description: agent.description,
  since: new Date(agent.lastSignAt).toISOString(),
  silentSeconds: Math.floor(silentMs / 1000),
})
