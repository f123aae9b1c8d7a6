import type { CreateAgentBody, HostedAgent, SkillGiven, UpdateAgentBody } from './agent.ts'
import { resolveModel } from './agent-model.ts'
import type { AgentSkill } from './agent-snapshot.ts'
import { applyMetadataPatch } from './metadata.ts'
import { resolveTools } from './resolve-tools.ts'

/** The fields of an agent that a person sets, without those that the server adds. */
export type AgentBlueprint = Omit<
  HostedAgent,
  'id' | 'type' | 'version' | 'created_at' | 'updated_at' | 'archived_at'
>

const EMPTY = {
  description: null,
  system: null,
  tools: [],
  mcp_servers: [],
  skills: [],
  metadata: {},
  execution_identity: { type: 'service_account' },
} as const

/** A new agent as stored: resolved, with all fields set. The caller resolves other agents. */
export const makeAgentBlueprint = (
  body: CreateAgentBody,
  multiagent: AgentBlueprint['multiagent'] = null,
): AgentBlueprint => ({
  ...EMPTY,
  multiagent,
  name: body.name,
  description: body.description || null,
  model: resolveModel(body.model),
  system: body.system || null,
  tools: resolveTools(body.tools ?? []),
  mcp_servers: body.mcp_servers ?? [],
  skills: resolveSkills(body.skills ?? []),
  metadata: body.metadata ?? {},
})

/**
 * An agent after an update: omitted fields keep their value, null or empty clears, arrays replace,
 * metadata is patched.
 */
export const applyAgentUpdate = (
  before: AgentBlueprint,
  update: UpdateAgentBody,
  multiagent: AgentBlueprint['multiagent'] = before.multiagent,
): AgentBlueprint => ({
  ...EMPTY,
  multiagent,
  name: update.name ?? before.name,
  description: update.description === undefined ? before.description : update.description || null,
  model: update.model === undefined ? before.model : resolveModel(update.model, before.model),
  system: update.system === undefined ? before.system : update.system || null,
  tools: update.tools === undefined ? before.tools : resolveTools(update.tools ?? []),
  mcp_servers: update.mcp_servers === undefined ? before.mcp_servers : (update.mcp_servers ?? []),
  skills: update.skills === undefined ? before.skills : resolveSkills(update.skills ?? []),
  metadata: applyMetadataPatch(before.metadata, update.metadata),
})

/** Skills with explicit versions; a missing version means the newest. */
export const resolveSkills = (given: readonly SkillGiven[]): AgentSkill[] =>
  given.map(({ type, skill_id, version }) => ({ type, skill_id, version: version ?? 'latest' }))
