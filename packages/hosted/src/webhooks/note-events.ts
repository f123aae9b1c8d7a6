import type { WebhookEventType } from '@steward/contract'
import { z } from 'zod'
import type { StoredEvent } from '../database/stored-event.ts'
import type { Tx } from '../database/tx.ts'
import { tellWebhooks } from './tell-webhooks.ts'

const OF_EVENT: Readonly<Record<string, WebhookEventType>> = {
  'session.status_running': 'session.status_run_started',
  'session.status_idle': 'session.status_idled',
  'session.status_rescheduled': 'session.status_rescheduled',
  'session.status_terminated': 'session.status_terminated',
  'span.outcome_evaluation_end': 'session.outcome_evaluation_ended',
}
const OF_STOP: Readonly<Record<string, WebhookEventType>> = {
  requires_action: 'session.requires_action',
  budget_reached: 'session.budget_reached',
}
const stop = z.object({ stop_reason: z.object({ type: z.string() }) })

/** The events of a session that webhooks can receive. */
export const listNotable = (events: readonly StoredEvent[]): readonly StoredEvent[] =>
  events.filter(({ type }) => OF_EVENT[type] !== undefined)

/** Stores messages to webhooks about these events. */
export function* noteEvents(notable: readonly StoredEvent[]): Tx<void> {
  for (const { type, body, sessionId, createdMs } of notable) {
    const told = OF_EVENT[type]
    if (told === undefined) continue
    yield* tellWebhooks(told, { id: sessionId }, createdMs)
    const why = OF_STOP[stop.safeParse(body).data?.stop_reason.type ?? '']
    if (type === 'session.status_idle' && why !== undefined)
      yield* tellWebhooks(why, { id: sessionId }, createdMs)
  }
}
