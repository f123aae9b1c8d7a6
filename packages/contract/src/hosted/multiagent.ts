import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId } from './instant.ts'

export const agentVersion = z.number().int().positive()

/** An agent at a version; the newest one unless one is given. */
export const pinnedAgent = z.strictObject({
  type: z.literal('agent'),
  id: hostedId,
  version: agentVersion.optional(),
})

const rosterEntry = z.union([
  hostedId,
  z.discriminatedUnion(
    'type',
    [pinnedAgent, z.strictObject({ type: z.literal('self') })],
    'must be agent or self; advisors are not available here: add an agent with a stronger model',
  ),
])

/** How an agent delegates, as clients send it. */
export const multiagentGiven = z.strictObject({
  type: z.literal('coordinator', 'only the type coordinator is available here'),
  agents: z.array(rosterEntry).min(1).max(HOSTED_LIMITS.rosterAgents),
})
export type MultiagentGiven = z.infer<typeof multiagentGiven>

/** The agents that an agent may delegate to, each in a fixed version. */
export const agentMultiagent = z.object({
  type: z.literal('coordinator'),
  agents: z.array(z.object({ type: z.literal('agent'), id: hostedId, version: agentVersion })),
})
export type AgentMultiagent = z.infer<typeof agentMultiagent>
