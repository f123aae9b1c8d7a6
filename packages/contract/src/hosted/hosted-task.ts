import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId } from './instant.ts'
import { resourceGiven } from './resource.ts'

/** A task that an action hands to a hosted agent. */
export const hostedAgentTask = z.strictObject({
  prompt: z.string().min(1),
  /** Its id or name. */
  agent: z.string().min(1).max(HOSTED_LIMITS.nameCharacters),
  /** Its id or name. */
  environment: z.string().min(1).max(HOSTED_LIMITS.nameCharacters),
  title: z.string().max(HOSTED_LIMITS.titleCharacters).optional(),
  /** The cost limit of the session in US dollars. */
  budget: z.number().positive().max(1_000_000).optional(),
  vault_ids: z.array(hostedId).max(HOSTED_LIMITS.sessionVaults).optional(),
  resources: z.array(resourceGiven).max(HOSTED_LIMITS.sessionResources).optional(),
})
export type HostedAgentTask = z.infer<typeof hostedAgentTask>

/** How a hosted session ended its turn. */
export interface HostedAgentOutcome {
  session: string
  /** Its stop reason, such as `end_turn`. */
  stop: string
  /** Its last message. */
  answer: string
  /** The files that it left under `/mnt/session/outputs`. */
  files: { id: string; name: string; bytes: number }[]
  /** Null if the price is unknown. */
  costUsd: number | null
}
