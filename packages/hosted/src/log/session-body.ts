import {
  agentSnapshot,
  environmentConfig,
  hostedId,
  outcomeEvaluation,
  sessionBudget,
  sessionResource,
} from '@steward/contract'
import { z } from 'zod'

/** A resource as clients see it, with what only the hands may use. */
const storedResource = z.object({
  resource: sessionResource,
  /** A repository's token, sealed with the master key, as base64. */
  sealed_token: z.string().nullable(),
})
export type StoredResource = z.infer<typeof storedResource>

/**
 * `sessions.body`: what a session was made with and what updates changed since. What happens in a
 * session is in its log and in `sessions.summary`.
 */
export const sessionBody = z.object({
  /** As it was when the session began, overrides included; updates replace tools and servers. */
  agent: agentSnapshot,
  /** As it was when the session began: a change of the environment touches later sessions only. */
  environment: environmentConfig,
  title: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  /** The id of the session's one thread. */
  thread_id: hostedId,
  resources: z.array(storedResource),
  vault_ids: z.array(hostedId),
  budget: sessionBudget.nullable(),
  outcome_evaluations: z.array(outcomeEvaluation),
})
export type SessionBody = z.infer<typeof sessionBody>
