import { hostedId, instant, agentSnapshot, sessionBudget } from '@steward/contract'
import { z } from 'zod'

const mounted = { id: hostedId, mount_path: z.string(), created_at: instant, updated_at: instant }

/** Something that is mounted into a session's sandbox. */
export const storedResource = z.discriminatedUnion('type', [
  z.object({ ...mounted, type: z.literal('file'), file_id: hostedId }),
  z.object({
    ...mounted,
    type: z.literal('github_repository'),
    url: z.string(),
    checkout: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('branch'), name: z.string() }),
        z.object({ type: z.literal('commit'), sha: z.string() }),
      ])
      .nullable(),
    /** The token, sealed with the master key, as base64; it never leaves the server. */
    sealed_token: z.string().nullable(),
  }),
])
export type StoredResource = z.infer<typeof storedResource>

/** A goal that a session works towards, and how far it has come. */
export const storedOutcome = z.object({
  type: z.literal('outcome_evaluation'),
  outcome_id: hostedId,
  description: z.string(),
  result: z.string(),
  explanation: z.string().nullable(),
  iteration: z.number().int().nonnegative(),
  completed_at: instant.nullable(),
})

/**
 * `sessions.body`: what a session was made with and what updates changed since. What happens in a
 * session is in its log and in `sessions.summary`.
 */
export const sessionBody = z.object({
  /** As it was when the session began, overrides included; updates replace tools and servers. */
  agent: agentSnapshot,
  title: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  /** The id of the session's one thread. */
  thread_id: hostedId,
  resources: z.array(storedResource),
  vault_ids: z.array(hostedId),
  budget: sessionBudget.nullable(),
  outcome_evaluations: z.array(storedOutcome),
})
export type SessionBody = z.infer<typeof sessionBody>

export const parseSessionBody = (text: string): SessionBody => sessionBody.parse(JSON.parse(text))
