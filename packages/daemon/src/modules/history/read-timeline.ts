import { isJsonObject, type SessionDetail, type StewardEvent } from '@steward/contract'
import {
  DEFAULT_THRESHOLDS,
  describeSession,
  eventLogPath,
  type Home,
  normaliseEvent,
  type Redactor,
  readRowsAt,
  readWorkState,
  sessionsOf,
} from '@steward/platform'
import type { IndexedPlace } from './session-index.ts'

/** Tasks, phases and criteria of a session, as long as they are in the work state. */
export const readWork = async (
  home: Home,
  id: string,
  nowMs: number,
): Promise<SessionDetail['work']> => {
  const state = await readWorkState(home)
  if (!state.ok) return []
  return sessionsOf(state.value)
    .filter(({ view }) => view.sessionUUID === id)
    .map((session) => describeSession(session, { nowMs, thresholds: DEFAULT_THRESHOLDS }))
}

export interface PlacedEvent {
  place: IndexedPlace
  event: StewardEvent
}

/** Rows whose log was removed meanwhile are left out. */
export const readEvents = async (
  home: Home,
  places: readonly IndexedPlace[],
  redactor: Redactor,
): Promise<PlacedEvent[]> => {
  const bySource = Map.groupBy(places, ({ source }) => source)
  const found = new Map<IndexedPlace, StewardEvent>()
  for (const [source, own] of bySource) {
    const rows = await readRowsAt(eventLogPath(home, source), own)
    // Together, because the rows of a session have many values in common.
    const clean = redactor.redact(rows).value
    if (!Array.isArray(clean)) continue
    for (const [at, place] of own.entries()) {
      const row: unknown = clean[at]
      if (isJsonObject(row)) found.set(place, normaliseEvent(source, row))
    }
  }
  return places.flatMap((place) => {
    const event = found.get(place)
    return event === undefined ? [] : [{ place, event }]
  })
}
