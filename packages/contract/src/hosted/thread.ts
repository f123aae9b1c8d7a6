import { z } from 'zod'
import { threadAgent } from './agent-snapshot.ts'
import { hostedId, instant } from './instant.ts'
import { HOSTED_SESSION_STATUSES, sessionStats } from './session.ts'
import { sessionUsage } from './usage.ts'

/** A conversation of a session: its primary thread, or one that the coordinator began. */
export const hostedThread = z
  .object({
    id: hostedId,
    type: z.literal('session_thread'),
    session_id: hostedId,
    parent_thread_id: hostedId.nullable(),
    agent: threadAgent,
    status: z.enum(HOSTED_SESSION_STATUSES),
    stats: sessionStats.extend({ startup_seconds: z.number().nonnegative().optional() }).nullable(),
    usage: sessionUsage.nullable(),
    workflow_run_id: hostedId.nullable(),
    created_at: instant,
    updated_at: instant,
    archived_at: instant.nullable(),
  })
  .meta({ id: 'HostedThread' })
export type HostedThread = z.infer<typeof hostedThread>
