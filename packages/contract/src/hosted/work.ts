import { z } from 'zod'
import { hostedId, instant } from './instant.ts'
import { hostedMetadata, metadataPatch } from './metadata.ts'

export const WORK_ITEM_STATES = ['queued', 'starting', 'active', 'stopping', 'stopped'] as const
export type WorkItemState = (typeof WORK_ITEM_STATES)[number]

/** A session that waits for a worker of a self-hosted environment, or is leased by one. */
export const workItem = z
  .object({
    id: hostedId,
    type: z.literal('work'),
    state: z.enum(WORK_ITEM_STATES),
    data: z.discriminatedUnion('type', [
      z.object({ type: z.literal('session'), id: hostedId }),
      z.object({ type: z.literal('healthcheck'), id: hostedId }),
    ]),
    environment_id: hostedId,
    metadata: hostedMetadata,
    /** Only set in the answer to a poll. */
    secret: z.string().nullable(),
    created_at: instant,
    acknowledged_at: instant.nullable(),
    started_at: instant.nullable(),
    latest_heartbeat_at: instant.nullable(),
    stop_requested_at: instant.nullable(),
    stopped_at: instant.nullable(),
  })
  .meta({ id: 'WorkItem' })
export type WorkItem = z.infer<typeof workItem>

/** The content of `secret`: base64url of this JSON. */
export const workSecret = z.object({
  sessions_token: z.string(),
  api_base_url: z.string().optional(),
})
export type WorkSecret = z.infer<typeof workSecret>

/** Sent with the first heartbeat of a lease instead of the previous heartbeat. */
export const NO_HEARTBEAT = 'NO_HEARTBEAT'

const lease = {
  lease_extended: z.boolean(),
  state: z.enum(WORK_ITEM_STATES),
  ttl_seconds: z.number().int().nonnegative(),
}
export const workHeartbeat = z.object({
  type: z.literal('work_heartbeat'),
  last_heartbeat: z.string(),
  ...lease,
})
export type WorkHeartbeat = z.infer<typeof workHeartbeat>

/** `details.current_state` of a refused heartbeat. */
export const workLeaseState = z.object({ last_heartbeat: z.string().nullable(), ...lease })
export type WorkLeaseState = z.infer<typeof workLeaseState>

export const workQueueStats = z.object({
  type: z.literal('work_queue_stats'),
  depth: z.number().int().nonnegative(),
  pending: z.number().int().nonnegative(),
  oldest_queued_at: instant.nullable(),
  workers_polling: z.number().int().nonnegative().nullable(),
})
export type WorkQueueStats = z.infer<typeof workQueueStats>

export const updateWorkBody = z.strictObject({ metadata: metadataPatch })
/** The body of a stop request is optional. */
export const stopWorkBody = z.strictObject({ force: z.boolean().optional() }).optional()
