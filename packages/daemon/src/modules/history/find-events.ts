import type { EventPage, StewardEvent } from '@steward/contract'
import { parseEventFilter } from '@steward/contract/event-filter'
import type { PlacedEvent } from './read-timeline.ts'
import { placeOf } from './session-filter.ts'
import type { IndexedPlace, SessionIndex } from './session-index.ts'

interface Query {
  limit: number
  before?: string | undefined
  q?: string | undefined
}

/** Rows that are read at once when the first ones did not fit the filter. */
const PAGE = 500
/** Rows that one request reads at most; the next page continues there. */
const MOST_READ = 20_000

/** Events of the whole history that fit a filter, newest first. */
export const findEvents = async (
  index: Pick<SessionIndex, 'allPlaces' | 'countPlaces'>,
  read: (places: readonly IndexedPlace[]) => Promise<PlacedEvent[]>,
  { limit, before, q = '' }: Query,
  nowMs: number,
): Promise<EventPage> => {
  const { accepts, needs } = parseEventFilter(q)
  const narrowed = {
    ...(needs.source === undefined ? {} : { source: needs.source }),
    ...(needs.session === undefined ? {} : { session: needs.session }),
    ...(needs.forMs === undefined ? {} : { sinceMs: nowMs - needs.forMs }),
  }
  const events: StewardEvent[] = []
  let at = placeOf(before)
  let wanted = limit + 1
  for (let count = 0; count < MOST_READ; count += wanted, wanted = PAGE) {
    const places = index.allPlaces({
      ...narrowed,
      limit: wanted,
      ...(at === undefined ? {} : { at }),
    })
    const fitting = (await read(places)).filter(({ event }) => accepts(event, nowMs))
    const taken = fitting.slice(0, limit - events.length)
    events.push(...taken.map(({ event }) => event))
    const isFull = taken.length < fitting.length
    if (!isFull && places.length < wanted) return { events, next: null, total: index.countPlaces() }
    const last = isFull ? taken.at(-1)?.place : places.at(-1)
    if (last !== undefined) at = { atMs: last.atMs, row: last.row }
    if (isFull || events.length === limit) break
  }
  const next = at === undefined ? null : `${at.atMs}.${at.row}`
  return { events, next, total: index.countPlaces() }
}
