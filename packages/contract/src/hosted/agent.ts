import { z } from 'zod'
import { agentModelGiven } from './agent-model.ts'
import { agentMakeup } from './agent-snapshot.ts'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'
import { multiagentGiven } from './multiagent.ts'
import { agentToolGiven, mcpServer } from './tools.ts'

/** An agent; every field is always present. */
export const hostedAgent = z
  .object({
    id: hostedId,
    type: z.literal('agent'),
    version: z.number().int().positive(),
    ...agentMakeup,
    metadata: hostedMetadata,
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'HostedAgent' })
export type HostedAgent = z.infer<typeof hostedAgent>

const skillGiven = z.strictObject({
  type: z.enum(['anthropic', 'custom']),
  skill_id: z.string().min(1).max(128),
  version: z.string().min(1).max(128).nullish(),
})
const tools = z.array(agentToolGiven).max(HOSTED_LIMITS.tools)
const mcpServers = z.array(mcpServer).max(HOSTED_LIMITS.mcpServers)
const skills = z.array(skillGiven).max(HOSTED_LIMITS.skills)
const system = z.string().max(HOSTED_LIMITS.systemCharacters)
const agentName = z.string().min(1).max(HOSTED_LIMITS.nameCharacters)

const described = {
  description: z.string().max(HOSTED_LIMITS.descriptionCharacters).nullish(),
  system: system.nullish(),
  multiagent: multiagentGiven.nullish(),
  execution_identity: z.strictObject({ type: z.literal('service_account') }).nullish(),
}

/** Body of `POST /v1/agents`. */
export const createAgentBody = z.strictObject({
  ...described,
  name: agentName,
  model: agentModelGiven,
  tools: tools.nullish(),
  mcp_servers: mcpServers.nullish(),
  skills: skills.nullish(),
  metadata: hostedMetadata.nullish(),
})
export type CreateAgentBody = z.infer<typeof createAgentBody>

/**
 * Body of `POST /v1/agents/{id}`: omitted fields keep their value, null or empty clears, arrays
 * replace.
 */
export const updateAgentBody = z.strictObject({
  ...described,
  name: agentName.optional(),
  model: agentModelGiven.optional(),
  tools: tools.nullish(),
  mcp_servers: mcpServers.nullish(),
  skills: skills.nullish(),
  metadata: metadataPatch.nullish(),
  /** The version that this change is based on; without it the change is unconditional. */
  version: z.number().int().positive().optional(),
})
export type UpdateAgentBody = z.infer<typeof updateAgentBody>

/** Agent settings that a session may override. */
export const agentOverrides = {
  model: agentModelGiven.optional(),
  system: system.nullish(),
  tools: tools.optional(),
  mcp_servers: mcpServers.optional(),
  skills: skills.optional(),
}
export type SkillGiven = z.infer<typeof skillGiven>
