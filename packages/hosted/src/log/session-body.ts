import {
  agentSnapshot,
  environmentConfig,
  hostedId,
  outcomeEvaluation,
  sessionBudget,
  sessionResource,
} from '@steward/contract'
import { z } from 'zod'

/** A resource as clients see it, plus fields for the hands only. */
const usedSkills = z.array(
  z.object({ version: hostedId, name: z.string(), description: z.string() }),
)

const storedResource = z.object({
  resource: sessionResource,
  /** A repository's token, sealed with the master key, as base64. */
  sealed_token: z.string().nullable(),
})
export type StoredResource = z.infer<typeof storedResource>

/**
 * `sessions.body`: how a session was created and what updates changed. What happens in a session is
 * in its log and in `sessions.summary`.
 */
export const sessionBody = z.object({
  /**
   * As it was when the session was created, including overrides; updates replace tools and servers.
   */
  agent: agentSnapshot,
  /**
   * As it was when the session was created: changes of the environment only affect later sessions.
   */
  environment: environmentConfig,
  title: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  /** The id of the session's primary thread; of another thread, its own. */
  thread_id: hostedId,
  resources: z.array(storedResource),
  vault_ids: z.array(hostedId),
  budget: sessionBudget.nullable(),
  outcome_evaluations: z.array(outcomeEvaluation),
  /** The versions of the agent's skills that the session uses; older sessions have none. */
  skills: usedSkills.default([]),
  /** The same for the agents that the coordinator may delegate to, by agent. */
  roster_skills: z.record(z.string(), usedSkills).default({}),
  /** The session of a thread that a coordinator began. */
  session_id: hostedId.nullable().default(null),
})
export type SessionBody = z.infer<typeof sessionBody>
