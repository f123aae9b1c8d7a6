import {
  EVENT_SOURCE_NAMES,
  EVENT_SOURCES,
  type EventSource,
  LIMITS,
  type StewardError,
  type StewardEvent,
  toStewardError,
} from '@steward/contract'
import type { Home } from '../home/home.ts'
import type { SkippedLines } from '../logs/log-row.ts'
import { readTail } from '../logs/read-tail.ts'
import { eventLogPath } from './event-log-path.ts'
import { normaliseEvent } from './normalise-event.ts'
import { sortEvents } from './sort-events.ts'

export interface CollectedEvents {
  /** From all sources, newest first, at most 200. */
  events: StewardEvent[]
  /** Lines that are not rows. */
  skipped: Partial<Record<EventSource, SkippedLines>>
  /** Sources that could not be read; the others are complete. */
  failed: Partial<Record<EventSource, StewardError>>
}

/**
 * Spec 2, Data flow: the last rows of each source, merged. A source without a log has no events.
 */
export const collectEvents = async (home: Pick<Home, 'root'>): Promise<CollectedEvents> => {
  const collected: CollectedEvents = { events: [], skipped: {}, failed: {} }
  const perSource = await Promise.all(
    EVENT_SOURCE_NAMES.map(async (source) => {
      try {
        const { eventsPerRead } = EVENT_SOURCES[source]
        const tail = await readTail(eventLogPath(home, source), { rows: eventsPerRead })
        collected.skipped[source] = tail.skipped
        // Newest first before sorting, so that rows of the same millisecond keep their order.
        return tail.rows.map(({ row }) => normaliseEvent(source, row)).reverse()
      } catch (thrown) {
        collected.failed[source] = toStewardError(thrown)
        return []
      }
    }),
  )
  collected.events = sortEvents(perSource.flat()).slice(0, LIMITS.mergedEvents)
  return collected
}
