import {
  EVENT_SOURCE_NAMES,
  EVENT_SOURCES,
  type EventSource,
  LIMITS,
  type StewardEvent,
} from '@steward/contract'
import { eventKey, sortEvents } from '@steward/platform'

interface RecentPorts {
  newest: (source: EventSource, count: number) => StewardEvent[]
  /** Newest first. */
  pushed: () => readonly StewardEvent[]
}

/**
 * The merged list of spec 2, Data flow. `local` is sent to targets and equals what `collectEvents`
 * would read. `body` is served and includes events pushed by others.
 */
export const createRecentEvents = ({ newest, pushed }: RecentPorts) => {
  let body: Uint8Array<ArrayBuffer> | undefined
  const allLocal = (): StewardEvent[] =>
    EVENT_SOURCE_NAMES.flatMap((source) => newest(source, EVENT_SOURCES[source].eventsPerRead))
  const merge = (): StewardEvent[] => {
    const local = allLocal()
    const keys = new Set(local.map(eventKey))
    const others = pushed().filter((event) => !keys.has(eventKey(event)))
    return sortEvents([...local, ...others]).slice(0, LIMITS.mergedEvents)
  }
  return {
    local: (): StewardEvent[] => sortEvents(allLocal()).slice(0, LIMITS.mergedEvents),
    /** Rebuilt only after `invalidate`. */
    body: (): Uint8Array<ArrayBuffer> => {
      body ??= new TextEncoder().encode(JSON.stringify({ events: merge() }))
      return body
    },
    invalidate: (): void => {
      body = undefined
    },
  }
}
