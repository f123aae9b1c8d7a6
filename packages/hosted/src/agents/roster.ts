import {
  type AgentMultiagent,
  type AgentSnapshot,
  type MultiagentGiven,
  StewardError,
  type ThreadAgent,
} from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import type { Tx } from '../database/tx.ts'
import { getAgent, toThreadAgent } from './stored-agent.ts'

/** The agent that owns a roster, which may delegate to copies of itself. */
export interface RosterOwner {
  id: string
  name: string
}

/** The agents that an agent may delegate to, in fixed versions. Throws 400 if one cannot be used. */
export function* pinRoster(
  given: MultiagentGiven | null,
  owner: RosterOwner,
): Tx<AgentMultiagent | null> {
  if (given === null) return null
  const agents: AgentMultiagent['agents'] = []
  const names = new Set<string>()
  for (const [index, entry] of given.agents.entries()) {
    const place = `multiagent.agents[${index}]`
    const wanted = typeof entry === 'string' ? { type: 'agent' as const, id: entry } : entry
    const pinned =
      wanted.type === 'self' || wanted.id === owner.id
        ? { id: owner.id, name: owner.name, version: OWN_VERSION }
        : yield* pinOther(wanted, place)
    if (agents.some(({ id }) => id === pinned.id))
      throw invalid(place, `the agent ${pinned.id} is listed twice`)
    if (names.has(pinned.name)) throw invalid(place, `two agents are named ${pinned.name}`)
    names.add(pinned.name)
    agents.push({ type: 'agent', id: pinned.id, version: pinned.version })
  }
  return { type: 'coordinator', agents }
}

/** An agent's own entry follows its versions, so the number that is stored has no meaning. */
const OWN_VERSION = 1

function* pinOther(
  { id, version }: { id: string; version?: number | undefined },
  place: string,
): Tx<RosterOwner & { version: number }> {
  const agent = yield* getAgent(id, version)
  if (agent.archivedMs !== null) throw new StewardError('archived', { what: 'agent', name: id })
  if (agent.blueprint.multiagent !== null)
    throw invalid(place, `the agent ${id} delegates itself; only one level is possible`)
  return { id, name: agent.blueprint.name, version: agent.version }
}

/** The roster of a session with complete agents; copies of the coordinator have its overrides. */
export function* openRoster(
  roster: AgentMultiagent | null,
  self: ThreadAgent,
): Tx<AgentSnapshot['multiagent']> {
  if (roster === null) return null
  const agents: ThreadAgent[] = []
  for (const { id, version } of roster.agents)
    agents.push(id === self.id ? self : toThreadAgent(yield* getAgent(id, version)))
  return { type: 'coordinator', agents }
}
