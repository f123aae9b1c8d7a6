import { mergeAgents } from './agent-after.ts'
import type { WatchdogState, WatchedAgent } from './watchdog-state.ts'

/** The agents of a state while rows are added; found by any of their ids within their session. */
export interface Roster {
  /** The agent with these ids; merges entries that turn out to be the same. */
  find: (session: string, ids: readonly string[]) => WatchedAgent | undefined
  ofSession: (session: string) => readonly WatchedAgent[]
  put: (agent: WatchedAgent) => void
  agents: () => Pick<WatchdogState, 'agents' | 'keyById'>
}

/** Above this the oldest are dropped, finished ones first. */
export const MOST_AGENTS = 500

export const createRoster = (state: Pick<WatchdogState, 'agents' | 'keyById'>): Roster => {
  const agents = new Map(state.agents)
  const keyById = new Map(state.keyById)

  const keyOf = (session: string, ids: readonly string[]): string | undefined =>
    ids.flatMap((id) => keyById.get(idOf(session, id)) ?? []).at(0)

  const put = (agent: WatchedAgent): void => {
    const key = keyOf(agent.session, agent.ids) ?? idOf(agent.session, agent.ids[0] ?? '')
    agents.set(key, agent)
    for (const id of agent.ids) keyById.set(idOf(agent.session, id), key)
  }

  const remove = (key: string, agent: WatchedAgent): void => {
    agents.delete(key)
    for (const id of agent.ids) keyById.delete(idOf(agent.session, id))
  }

  return {
    put,
    find: (session, ids) => {
      const keys = new Set(ids.flatMap((id) => keyById.get(idOf(session, id)) ?? []))
      const entries = [...keys].flatMap((key) => {
        const agent = agents.get(key)
        return agent === undefined ? [] : [{ key, agent }]
      })
      const [first, ...others] = entries
      if (first === undefined || others.length === 0) return first?.agent
      const merged = others.reduce((all, { agent }) => mergeAgents(all, agent), first.agent)
      for (const { key, agent } of entries) remove(key, agent)
      put(merged)
      return merged
    },
    ofSession: (session) => [...agents.values()].filter((agent) => agent.session === session),
    agents: () => {
      const surplus = agents.size - MOST_AGENTS
      if (surplus > 0) {
        const leastNeeded = [...agents].toSorted(([, a], [, b]) => byNeed(a, b))
        for (const [key, agent] of leastNeeded.slice(0, surplus)) remove(key, agent)
      }
      return { agents, keyById }
    },
  }
}

const idOf = (session: string, id: string): string => `${session}\n${id}`

const byNeed = (a: WatchedAgent, b: WatchedAgent): number =>
  Number(a.status === 'watched') - Number(b.status === 'watched') || a.lastSignAt - b.lastSignAt
