import type { StewardEvent } from '@steward/contract'
import { instantOf } from './event-instant.ts'

/**
 * Newest first by instant, not by text, because offsets differ. Events without a readable timestamp
 * come last; events of the same instant keep their order.
 */
export const sortEvents = (events: readonly StewardEvent[]): StewardEvent[] =>
  events
    .map((event) => ({ event, instantMs: instantOf(event.timestamp) ?? Number.NEGATIVE_INFINITY }))
    .toSorted((a, b) => (a.instantMs === b.instantMs ? 0 : b.instantMs - a.instantMs))
    .map(({ event }) => event)
