import { z } from 'zod'
import { agentOverrides } from './agent.ts'
import { agentSnapshot } from './agent-snapshot.ts'
import { initialEvent } from './client-events.ts'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'
import { sessionBudget } from './money.ts'
import { agentVersion, pinnedAgent } from './multiagent.ts'
import { resourceGiven, sessionResource } from './resource.ts'
import { sessionUsage } from './usage.ts'

export const HOSTED_SESSION_STATUSES = ['idle', 'running', 'rescheduling', 'terminated'] as const
export type HostedSessionStatus = (typeof HOSTED_SESSION_STATUSES)[number]

export const sessionStats = z.object({
  active_seconds: z.number().nonnegative().optional(),
  duration_seconds: z.number().nonnegative().optional(),
})

export const OUTCOME_RESULTS = [
  'pending',
  'running',
  'evaluating',
  'satisfied',
  'max_iterations_reached',
  'failed',
  'interrupted',
] as const
export const outcomeEvaluation = z.object({
  type: z.literal('outcome_evaluation'),
  outcome_id: hostedId,
  description: z.string(),
  result: z.enum(OUTCOME_RESULTS),
  explanation: z.string().nullable(),
  iteration: z.number().int().nonnegative(),
  completed_at: instant.nullable(),
})
export type OutcomeEvaluation = z.infer<typeof outcomeEvaluation>

/** A session; every field is always present. */
export const hostedSession = z
  .object({
    id: hostedId,
    type: z.literal('session'),
    agent: agentSnapshot,
    environment_id: hostedId,
    status: z.enum(HOSTED_SESSION_STATUSES),
    title: z.string().nullable(),
    metadata: hostedMetadata,
    resources: z.array(sessionResource),
    vault_ids: z.array(hostedId),
    outcome_evaluations: z.array(outcomeEvaluation),
    stats: sessionStats,
    usage: sessionUsage,
    budget: sessionBudget.nullable(),
    deployment_id: hostedId.nullable(),
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'HostedSession' })
export type HostedSession = z.infer<typeof hostedSession>

/** An agent, in its newest version unless one is given. */
export const pinnableAgent = z.union([hostedId, pinnedAgent])
export type PinnableAgent = z.infer<typeof pinnableAgent>
/** The agent of a session: its newest version, a given version, or one with overrides. */
export const agentReference = z.union([
  hostedId,
  z.discriminatedUnion('type', [
    pinnedAgent,
    z.strictObject({
      type: z.literal('agent_with_overrides'),
      id: hostedId,
      version: agentVersion.optional(),
      ...agentOverrides,
    }),
  ]),
])
export type AgentReference = z.infer<typeof agentReference>

const title = z.string().max(HOSTED_LIMITS.titleCharacters).nullish()
const vaultIds = z.array(hostedId).max(HOSTED_LIMITS.sessionVaults)

/** Body of `POST /v1/sessions`. */
export const createSessionBody = z.strictObject({
  agent: agentReference,
  environment_id: hostedId,
  title,
  metadata: hostedMetadata.nullish(),
  vault_ids: vaultIds.nullish(),
  budget: sessionBudget.nullish(),
  initial_events: z.array(initialEvent).max(HOSTED_LIMITS.initialEvents).nullish(),
  resources: z.array(resourceGiven).max(HOSTED_LIMITS.sessionResources).nullish(),
})
export type CreateSessionBody = z.infer<typeof createSessionBody>

/** Body of `POST /v1/sessions/{id}`. */
export const updateSessionBody = z.strictObject({
  title,
  metadata: metadataPatch.nullish(),
  agent: z
    .strictObject({ tools: agentOverrides.tools, mcp_servers: agentOverrides.mcp_servers })
    .optional(),
  /** Replaces the budget of the session; null removes it permanently. */
  budget: sessionBudget.nullable().optional(),
  vault_ids: vaultIds
    .optional()
    .refine((ids) => ids === undefined, 'vaults are chosen when the session is created'),
})
export type UpdateSessionBody = z.infer<typeof updateSessionBody>

export const sessionDeleted = z.object({ id: hostedId, type: z.literal('session_deleted') })
