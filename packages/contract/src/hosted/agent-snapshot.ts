import { z } from 'zod'
import { agentModel } from './agent-model.ts'
import { hostedId } from './instant.ts'
import { agentMultiagent } from './multiagent.ts'
import { agentTool, mcpServer } from './tools.ts'

/** A skill with an explicit version. */
export const agentSkill = z.discriminatedUnion('type', [
  z.object({ type: z.literal('anthropic'), skill_id: z.string(), version: z.string() }),
  z.object({ type: z.literal('custom'), skill_id: z.string(), version: z.string() }),
])
export type AgentSkill = z.infer<typeof agentSkill>

/** The identity under which an agent runs. */
export const executionIdentity = z.object({ type: z.literal('service_account') })

/** The fields of an agent that a thread's snapshot also contains. */
const ownMakeup = {
  name: z.string(),
  description: z.string().nullable(),
  model: agentModel,
  system: z.string().nullable(),
  tools: z.array(agentTool),
  mcp_servers: z.array(mcpServer),
  skills: z.array(agentSkill),
  execution_identity: executionIdentity,
}

/** The fields of an agent that a person sets, except its metadata. */
export const agentMakeup = { ...ownMakeup, multiagent: agentMultiagent.nullable() }

const identified = {
  id: hostedId,
  type: z.literal('agent'),
  version: z.number().int().positive(),
}

/** The agent of a thread as it was when the session began; only the coordinator delegates. */
export const threadAgent = z.object({ ...identified, ...ownMakeup }).meta({ id: 'ThreadAgent' })
export type ThreadAgent = z.infer<typeof threadAgent>

/** The agent as it was when the session began, overrides included. */
export const agentSnapshot = z
  .object({
    ...identified,
    ...ownMakeup,
    /** With the agents that it may delegate to. */
    multiagent: z
      .object({ type: z.literal('coordinator'), agents: z.array(threadAgent) })
      .nullable(),
  })
  .meta({ id: 'AgentSnapshot' })
export type AgentSnapshot = z.infer<typeof agentSnapshot>
