import {
  type AgentReference,
  type AgentSnapshot,
  findAgentFault,
  resolveModel,
  resolveSkills,
  resolveTools,
  StewardError,
  type ThreadAgent,
} from '@steward/contract'
import { openRoster } from '../agents/roster.ts'
import { getAgent, toThreadAgent } from '../agents/stored-agent.ts'
import { invalid } from '../api/refusal.ts'
import type { Tx } from '../database/tx.ts'
import type { SessionBody } from '../log/session-body.ts'
import { pinSkills } from '../skills/pin-skills.ts'

interface ResolvedAgent {
  agent: AgentSnapshot
  skills: SessionBody['skills']
  rosterSkills: SessionBody['roster_skills']
}

/** The agent and those that it may delegate to, with their skills in fixed versions. */
export function* resolveAgent(reference: AgentReference): Tx<ResolvedAgent> {
  const wanted = typeof reference === 'string' ? { id: reference } : reference
  const agent = yield* getAgent(wanted.id, 'version' in wanted ? wanted.version : undefined)
  if (agent.archivedMs !== null)
    throw new StewardError('archived', { what: 'agent', name: agent.id })
  const own = yield* pinThreadAgent(override(toThreadAgent(agent), reference))
  const roster = yield* openRoster(agent.blueprint.multiagent, own.agent)
  const pinned: PinnedAgent[] = []
  for (const each of roster?.agents ?? [])
    pinned.push(each.id === own.agent.id ? own : yield* pinThreadAgent(each))
  checkSkillNames([own, ...pinned])
  return {
    agent: {
      ...own.agent,
      multiagent: roster && { ...roster, agents: pinned.map((each) => each.agent) },
    },
    skills: own.skills,
    rosterSkills: Object.fromEntries(pinned.map((each) => [each.agent.id, each.skills])),
  }
}

interface PinnedAgent {
  agent: ThreadAgent
  skills: SessionBody['skills']
}

function* pinThreadAgent(agent: ThreadAgent): Tx<PinnedAgent> {
  const pinned = yield* pinSkills(agent.skills)
  return {
    agent: { ...agent, skills: pinned.map(({ skill }) => skill) },
    skills: pinned.map(({ skill, name, description }) => ({
      version: skill.version,
      name,
      description,
    })),
  }
}

/** Threads share a sandbox, where a skill is a folder with its name. */
const checkSkillNames = (agents: readonly PinnedAgent[]): void => {
  const versions = new Map<string, string>()
  for (const { name, version } of agents.flatMap(({ skills }) => skills)) {
    if ((versions.get(name) ?? version) !== version)
      throw invalid('agent.multiagent', `two of its agents have different skills named ${name}`)
    versions.set(name, version)
  }
}

const override = (agent: ThreadAgent, reference: AgentReference): ThreadAgent => {
  if (typeof reference === 'string' || reference.type === 'agent') return agent
  const { model, system, tools, mcp_servers, skills } = reference
  const overridden: ThreadAgent = {
    ...agent,
    ...(model === undefined ? {} : { model: resolveModel(model) }),
    ...(system === undefined ? {} : { system: system || null }),
    ...(tools === undefined ? {} : { tools: resolveTools(tools) }),
    ...(mcp_servers === undefined ? {} : { mcp_servers }),
    ...(skills === undefined ? {} : { skills: resolveSkills(skills) }),
  }
  const fault = findAgentFault(overridden)
  if (fault !== undefined) throw invalid(`agent.${fault.path}`, fault.message)
  return overridden
}
