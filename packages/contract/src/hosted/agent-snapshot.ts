import { z } from 'zod'
import { agentModel } from './agent-model.ts'
import { hostedId } from './instant.ts'
import { agentTool, mcpServer } from './tools.ts'

/** A skill with an explicit version. */
export const agentSkill = z.discriminatedUnion('type', [
  z.object({ type: z.literal('anthropic'), skill_id: z.string(), version: z.string() }),
  z.object({ type: z.literal('custom'), skill_id: z.string(), version: z.string() }),
])
export type AgentSkill = z.infer<typeof agentSkill>

/** The identity under which an agent runs. */
export const executionIdentity = z.object({ type: z.literal('service_account') })

/** The fields of an agent that a session's snapshot also contains. */
export const agentMakeup = {
  name: z.string(),
  description: z.string().nullable(),
  model: agentModel,
  system: z.string().nullable(),
  tools: z.array(agentTool),
  mcp_servers: z.array(mcpServer),
  skills: z.array(agentSkill),
  /** One agent per session: orchestration of several agents is not supported. */
  multiagent: z.null(),
  execution_identity: executionIdentity,
}

/** The agent as it was when the session began, overrides included. */
export const agentSnapshot = z
  .object({
    id: hostedId,
    type: z.literal('agent'),
    version: z.number().int().positive(),
    ...agentMakeup,
  })
  .meta({ id: 'AgentSnapshot' })
export type AgentSnapshot = z.infer<typeof agentSnapshot>
