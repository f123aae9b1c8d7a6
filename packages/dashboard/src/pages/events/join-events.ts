import type { StewardEvent } from '@steward/contract'

/** One row on the page: a call with all its events. */
export interface EventRow {
  /** Shared by all events of one call. */
  key: string
  /** The shown event: the latest one. */
  event: StewardEvent
  /** All of them, oldest first. */
  events: readonly StewardEvent[]
  atMs: number
  durationMs?: number
  failed: boolean
}

/**
 * Events of one call share an id; an event without one is its own row, however often it arrives.
 */
export const keyOf = (event: StewardEvent): string => {
  const { tool_use_id, subagent_id, announcement_id } = event
  if (typeof subagent_id === 'string' && event.source === 'subagent') return `agent ${subagent_id}`
  if (typeof tool_use_id === 'string') return `call ${tool_use_id}`
  if (typeof announcement_id === 'string') return `said ${announcement_id}`
  return `event ${identityOf(event)}`
}

/** The daemon's identity of an event. */
const identityOf = ({ timestamp, session_id, source, type }: StewardEvent): string =>
  [timestamp, session_id, source, type].join(' ')

/** Adds an event to a row; independent of arrival order, and idempotent. */
export const joinEvent = (
  row: EventRow | undefined,
  key: string,
  event: StewardEvent,
): EventRow => {
  const known = row?.events.filter((each) => identityOf(each) !== identityOf(event)) ?? []
  const events = [...known, event].sort((one, other) => timeOf(one) - timeOf(other))
  const latest = events.at(-1) ?? event
  const length = lengthOf(events)
  return {
    key,
    event: latest,
    events,
    atMs: timeOf(latest),
    failed: events.some(({ source }) => source === 'tool-failure'),
    ...(length === undefined ? {} : { durationMs: length }),
  }
}

const timeOf = ({ timestamp }: StewardEvent): number => {
  const atMs = Date.parse(timestamp)
  return Number.isNaN(atMs) ? 0 : atMs
}

/** As measured by the host, or else the time between first and last. */
const lengthOf = (events: readonly StewardEvent[]): number | undefined => {
  for (const { duration_ms, duration_seconds } of events) {
    if (typeof duration_ms === 'number') return duration_ms
    if (typeof duration_seconds === 'number') return duration_seconds * 1000
  }
  const [first, ...rest] = events
  const last = rest.at(-1)
  return first === undefined || last === undefined ? undefined : timeOf(last) - timeOf(first)
}
