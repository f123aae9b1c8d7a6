import type { Sign } from './read-sign.ts'
import type { WatchedAgent } from './watchdog-state.ts'

/** The time of an event about an agent, on both clocks. */
export interface Moment {
  /** Epoch ms. */
  at: number
  watchedMs: number
}

type Start = Extract<Sign, { kind: 'started' | 'spawned' }>

/** A start creates an agent, restarts a stopped one, or completes what is known about one. */
export const agentAfterStart = (
  agent: WatchedAgent | undefined,
  sign: Start,
  moment: Moment,
): WatchedAgent => {
  const ids = uniteIds(agent?.ids ?? [], sign.ids)
  // The stop of a short-lived agent may be written before its start.
  if (agent?.status === 'stopped' && moment.at <= agent.lastSignAt) return { ...agent, ids }
  if (agent === undefined || agent.status === 'stopped') {
    const status = sign.foreground ? 'foreground' : 'watched'
    const { type, description } = sign
    return { ...newAgent(sign, moment), ids, type, description, status }
  }
  return {
    ...withSign(agent, moment, 'named'),
    ids,
    description: agent.description || sign.description,
    startedAt: Math.min(agent.startedAt, moment.at),
    // A later launch in the background overrides the earlier foreground.
    status: agent.status === 'foreground' && sign.kind === 'spawned' ? 'watched' : agent.status,
  }
}

/** A stop without a start is kept too: the start may arrive later. */
export const agentAfterStop = (
  agent: WatchedAgent | undefined,
  sign: Pick<Sign, 'session' | 'ids'>,
  moment: Moment,
): WatchedAgent => {
  if (agent === undefined) return { ...newAgent(sign, moment), status: 'stopped' }
  // An old stop that arrives after the agent was restarted is ignored.
  if (moment.at < agent.startedAt) return agent
  return { ...agent, status: 'stopped', lastSignAt: Math.max(agent.lastSignAt, moment.at) }
}

/** A tool call that names its agent. After a stop it is only late. */
export const agentAfterOwnCall = (agent: WatchedAgent, moment: Moment): WatchedAgent => {
  if (agent.status === 'stopped') return agent
  const status = agent.status === 'forgotten' ? 'watched' : agent.status
  return { ...withSign(agent, moment, 'named'), status }
}

/** A tool call of the session that may be this agent's. */
export const agentAfterSharedCall = (agent: WatchedAgent, moment: Moment): WatchedAgent =>
  agent.status === 'watched' ? withSign(agent, moment, 'shared') : agent

/** Merges two entries of one agent: its rows had different ids until one had both. */
export const mergeAgents = (a: WatchedAgent, b: WatchedAgent): WatchedAgent => {
  const isOver = a.status === 'stopped' || b.status === 'stopped'
  return {
    ...a,
    ids: uniteIds(a.ids, b.ids),
    description: a.description || b.description,
    status: isOver ? 'stopped' : a.status,
    startedAt: Math.min(a.startedAt, b.startedAt),
    lastSignAt: Math.max(a.lastSignAt, b.lastSignAt),
    quietSinceMs: Math.max(a.quietSinceMs, b.quietSinceMs),
    namedSinceMs: Math.max(a.namedSinceMs, b.namedSinceMs),
    alerted: a.alerted || b.alerted,
  }
}

const newAgent = (
  { session, ids }: Pick<Sign, 'session' | 'ids'>,
  { at, watchedMs }: Moment,
): WatchedAgent => ({
  session,
  ids,
  type: 'agent',
  description: '',
  status: 'watched',
  startedAt: at,
  lastSignAt: at,
  quietSinceMs: watchedMs,
  namedSinceMs: watchedMs,
  alerted: false,
})

const withSign = (
  agent: WatchedAgent,
  { at, watchedMs }: Moment,
  whose: 'named' | 'shared',
): WatchedAgent => {
  const isNews = watchedMs > agent.quietSinceMs
  return {
    ...agent,
    lastSignAt: isNews ? at : agent.lastSignAt,
    quietSinceMs: isNews ? watchedMs : agent.quietSinceMs,
    namedSinceMs: whose === 'named' ? Math.max(agent.namedSinceMs, watchedMs) : agent.namedSinceMs,
    alerted: agent.alerted && !isNews,
  }
}

const uniteIds = (before: readonly string[], after: readonly string[]): readonly string[] =>
  after.every((id) => before.includes(id)) ? before : [...new Set([...before, ...after])]
