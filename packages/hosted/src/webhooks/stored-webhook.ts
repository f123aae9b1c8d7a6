import {
  WEBHOOK_EVENTS,
  type WebhookDelivery,
  type WebhookEndpoint,
  webhookDelivery,
} from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

const number = z.coerce.number()
const endpointRow = z.object({
  id: z.string(),
  url: z.string(),
  name: z.string(),
  description: z.string(),
  events: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(z.array(z.enum(WEBHOOK_EVENTS))),
  state: z.enum(['enabled', 'disabled']),
  sealed_secret: z.string(),
  created_ms: number,
  updated_ms: number,
})
/** One row of `webhook_endpoints`. */
type StoredEndpoint = z.infer<typeof endpointRow>

export const ENDPOINT_COLUMNS =
  'id, url, name, description, events, state, sealed_secret, created_ms, updated_ms'

export const toStoredEndpoint = (row: Row): StoredEndpoint => endpointRow.parse(row)

export const toEndpoint = (stored: StoredEndpoint): WebhookEndpoint => ({
  id: stored.id,
  url: stored.url,
  name: stored.name,
  description: stored.description,
  enabled_events: stored.events,
  state: stored.state,
  disabled_reason: '',
  created_at: toInstant(stored.created_ms),
  updated_at: toInstant(stored.updated_ms),
})

export function* getEndpoint(id: string, hold: 'hold' | 'look' = 'look'): Tx<StoredEndpoint> {
  const row = yield* one(
    `SELECT ${ENDPOINT_COLUMNS} FROM webhook_endpoints WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('webhook endpoint', id),
  )
  if (row === undefined) throw notFound('webhook endpoint', id)
  return toStoredEndpoint(row)
}

const deliveryRow = z.object({
  id: z.string(),
  endpoint_id: z.string(),
  event_id: z.string(),
  event_type: z.enum(WEBHOOK_EVENTS),
  state: webhookDelivery.shape.state,
  attempts: number,
  last_result: z.string().nullable(),
  next_ms: number.nullable(),
  created_ms: number,
})

export const DELIVERY_COLUMNS =
  'id, endpoint_id, event_id, event_type, state, attempts, last_result, next_ms, created_ms'

export const toDelivery = (row: Row): WebhookDelivery => {
  const { next_ms, created_ms, ...rest } = deliveryRow.parse(row)
  return {
    type: 'webhook_delivery',
    ...rest,
    next_attempt_at: toInstantOrNull(next_ms),
    created_at: toInstant(created_ms),
  }
}
