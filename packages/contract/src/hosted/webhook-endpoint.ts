import { z } from 'zod'
import { hostedId, instant } from './instant.ts'

/** What happened, as the client's `webhooks.unwrap` names it. */
export const WEBHOOK_EVENTS = [
  'agent.created',
  'agent.updated',
  'agent.archived',
  'environment.created',
  'environment.updated',
  'environment.archived',
  'environment.deleted',
  'session.created',
  'session.updated',
  'session.archived',
  'session.deleted',
  'session.status_run_started',
  'session.status_idled',
  'session.status_rescheduled',
  'session.status_terminated',
  'session.requires_action',
  'session.budget_reached',
  'session.outcome_evaluation_ended',
  'deployment.created',
  'deployment.updated',
  'deployment.paused',
  'deployment.unpaused',
  'deployment.archived',
  'deployment_run.started',
  'deployment_run.succeeded',
  'deployment_run.failed',
  'memory_store.created',
  'memory_store.archived',
  'memory_store.deleted',
  'vault.created',
  'vault.archived',
  'vault.deleted',
  'vault_credential.created',
  'vault_credential.archived',
  'vault_credential.deleted',
] as const
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number]

/** An address that receives events. */
export const webhookEndpoint = z
  .object({
    id: hostedId,
    url: z.string(),
    name: z.string(),
    description: z.string(),
    enabled_events: z.array(z.enum(WEBHOOK_EVENTS)),
    state: z.enum(['enabled', 'disabled']),
    disabled_reason: z.string(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'WebhookEndpoint' })
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>

const url = z.url({ protocol: /^https?$/ }).max(2048)
const text = z.string().max(512)
const events = z.array(z.enum(WEBHOOK_EVENTS)).max(WEBHOOK_EVENTS.length)

/** Body of `POST /v1/organizations/webhooks`. */
export const createWebhookBody = z.strictObject({
  url,
  enabled_events: events.min(1),
  name: text.optional(),
  description: text.optional(),
})

/** Body of `POST /v1/organizations/webhooks/{id}`; an empty list of events changes nothing. */
export const updateWebhookBody = z.strictObject({
  url: url.optional(),
  enabled_events: events.optional(),
  name: text.optional(),
  description: text.optional(),
  state: z.enum(['enabled', 'disabled']).optional(),
})

/** One message to one address, and what became of it. */
export const webhookDelivery = z
  .object({
    id: hostedId,
    type: z.literal('webhook_delivery'),
    endpoint_id: hostedId,
    event_id: hostedId,
    event_type: z.enum(WEBHOOK_EVENTS),
    state: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.number().int().nonnegative(),
    /** What the last attempt met: a status, or why there was none. */
    last_result: z.string().nullable(),
    next_attempt_at: instant.nullable(),
    created_at: instant,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof webhookDelivery>
