import { z } from 'zod'

/**
 * The sources of events: the file under the data home, how many rows a reader takes, and the
 * default type. Spec 2, Event sources.
 */
export const EVENT_SOURCES = {
  'tool-activity': {
    file: 'MEMORY/OBSERVABILITY/tool-activity.jsonl',
    eventsPerRead: 100,
    defaultType: 'tool_use',
  },
  'tool-failure': {
    file: 'MEMORY/OBSERVABILITY/tool-failures.jsonl',
    eventsPerRead: 50,
    defaultType: 'tool-failure',
  },
  voice: {
    file: 'MEMORY/VOICE/voice-events.jsonl',
    eventsPerRead: 50,
    defaultType: 'voice',
  },
  subagent: {
    file: 'MEMORY/OBSERVABILITY/subagent-events.jsonl',
    eventsPerRead: 50,
    defaultType: 'subagent',
  },
} as const satisfies Record<string, { file: string; eventsPerRead: number; defaultType: string }>

export const EVENT_SOURCE_NAMES = ['tool-activity', 'tool-failure', 'voice', 'subagent'] as const
export type EventSource = (typeof EVENT_SOURCE_NAMES)[number]

/** One event as readers and targets see it. Unknown fields pass through unchanged. */
export const stewardEvent = z
  .looseObject({
    /** ISO-8601 with a timezone; empty if the row had no readable time. */
    timestamp: z.string(),
    /** The host assistant's session; empty if the row had none. */
    session_id: z.string(),
    source: z.enum(EVENT_SOURCE_NAMES),
    type: z.string(),
  })
  .meta({ id: 'Event' })
export type StewardEvent = z.infer<typeof stewardEvent>

export const eventPage = z.object({
  /** Newest first. */
  events: z.array(stewardEvent),
  /** The `before` value of the next page; null on the last. */
  next: z.string().nullable(),
  /** All events of the history, with or without the filter. */
  total: z.int().nonnegative(),
})
export type EventPage = z.infer<typeof eventPage>
