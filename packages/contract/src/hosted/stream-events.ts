import { z } from 'zod'
import { textContent } from './content.ts'
import { hostedId } from './instant.ts'

/** Events that a stream can preview; requested with `event_deltas[]`, never stored. */
export const PREVIEWED_EVENT_TYPES = ['agent.message', 'agent.thinking'] as const
export type PreviewedEventType = (typeof PREVIEWED_EVENT_TYPES)[number]

export const eventStart = z.object({
  type: z.literal('event_start'),
  /** The id of the final event. */
  event: z.discriminatedUnion('type', [
    z.object({ type: z.literal('agent.message'), id: hostedId }),
    z.object({ type: z.literal('agent.thinking'), id: hostedId }),
  ]),
})
export const eventDelta = z.object({
  type: z.literal('event_delta'),
  event_id: hostedId,
  delta: z.object({
    type: z.literal('content_delta'),
    index: z.number().int().nonnegative().optional(),
    content: textContent,
  }),
})
export type EventStart = z.infer<typeof eventStart>
export type EventDelta = z.infer<typeof eventDelta>
