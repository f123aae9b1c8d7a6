import {
  EVENT_SOURCES,
  type EventSource,
  type JsonObject,
  type StewardEvent,
} from '@steward/contract'
import { hasZone, instantOf } from './event-instant.ts'

/**
 * A log row in the common form: `source` from its file, `type` from `event`, else `type`, else the
 * source's default. Other fields pass through and cannot override these.
 */
export const normaliseEvent = (source: EventSource, row: JsonObject): StewardEvent => {
  const { timestamp, session_id, source: _source, type: _type, ...others } = row
  return {
    timestamp: toTimestamp(timestamp),
    session_id: typeof session_id === 'string' ? session_id : '',
    source,
    type: typeOfRow(source, row),
    ...others,
  }
}

const typeOfRow = (source: EventSource, { event, type, event_type }: JsonObject): string =>
  textOf(event) ??
  textOf(type) ??
  (source === 'voice' ? VOICE_TYPES.get(event_type) : undefined) ??
  EVENT_SOURCES[source].defaultType

/** Older voice rows only have `event_type`. */
const VOICE_TYPES = new Map<unknown, string>([
  ['sent', 'voice_complete'],
  ['failed', 'voice_failed'],
  ['skipped', 'voice_skipped'],
])

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** A timestamp with a zone is unchanged; epoch milliseconds and local times get a zone. */
const toTimestamp = (value: unknown): string => {
  if (typeof value === 'number') return toIso(value)
  if (typeof value !== 'string') return ''
  const instantMs = instantOf(value)
  if (instantMs === undefined) return ''
  return hasZone(value) ? value : toIso(instantMs)
}

const toIso = (instantMs: number): string =>
  instantMs >= FIRST_MS && instantMs <= LAST_MS ? new Date(instantMs).toISOString() : ''
/** Years with four digits, because only those can be read back. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')
