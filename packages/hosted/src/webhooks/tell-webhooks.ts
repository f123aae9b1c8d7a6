import type { WebhookEventType } from '@steward/contract'
import { toInstant } from '../database/instant.ts'
import { execute, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'

/** A server belongs to one operator, so that every event names the same. */
const OWNER = { organization_id: 'org_steward', workspace_id: 'wrkspc_steward' }

/** The number of webhooks, as a column of another statement, which saves a round trip. */
export const WEBHOOKS = "(SELECT COUNT(*) FROM webhook_endpoints WHERE state = 'enabled')"

/**
 * Puts a message for each address that wants the event into the outbox, in the transaction of the
 * change itself: both are on disk, or neither.
 */
export function* tellWebhooks(
  type: WebhookEventType,
  about: Readonly<Record<string, string>> & { id: string },
  nowMs: number,
): Tx<void> {
  const id = createId('wevt')
  const data = { type, ...about, ...OWNER }
  yield* execute(
    `INSERT INTO webhook_deliveries
       (id, endpoint_id, event_id, event_type, body, state, attempts, next_ms, created_ms)
     SELECT CAST($1 AS TEXT) || substr(e.id, 6), e.id, CAST($2 AS TEXT), CAST($3 AS TEXT),
       CAST($4 AS TEXT), 'pending', 0, CAST($5 AS BIGINT), CAST($5 AS BIGINT)
     FROM webhook_endpoints e
     WHERE e.state = 'enabled' AND e.events LIKE $6`,
    createId('wdel'),
    id,
    type,
    JSON.stringify({ id, type: 'event', created_at: toInstant(nowMs), data }),
    nowMs,
    `%"${type}"%`,
  )
}
