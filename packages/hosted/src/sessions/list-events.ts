import { readListableEventTypes } from '@steward/contract'
import { z } from 'zod'
import { addRange } from '../api/add-range.ts'
import type { LoggedEvents } from '../api/handler.ts'
import { readCursor, writeCursor } from '../api/page.ts'
import { invalid } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import { EVENT_COLUMNS, toStoredEvent, toWireEvent } from '../database/stored-event.ts'
import { query, type Tx } from '../database/tx.ts'

export interface EventRequest {
  limit: number
  page?: string | undefined
  order: 'asc' | 'desc'
  types?: readonly string[] | undefined
  created_at?: Parameters<typeof addRange>[2]
}

const cursor = z.object({ o: z.enum(['asc', 'desc']), s: z.number().int().nonnegative() })

/** A page of a session's log. Time filters apply to `processed_at`, as with the vendor. */
export function* listEvents(sessionId: string, request: EventRequest): Tx<LoggedEvents> {
  const { order, limit, types } = request
  const where = createWhere()
  where.add('session_id = ?', sessionId)
  where.add('listed = 1')
  if (types !== undefined) {
    // An unknown type matches nothing and may contain characters that a store rejects.
    const listable = new Set<string>(readListableEventTypes())
    const known = types.filter((type) => listable.has(type))
    if (known.length === 0) return { data: [], next_page: null }
    where.add(`type IN (${known.map(() => '?').join(', ')})`, ...known)
  }
  addRange(where, 'processed_ms', request.created_at)
  if (request.page !== undefined) {
    const from = readCursor(request.page, cursor)
    if (from.o !== order) throw invalid('page', `the cursor belongs to a list in order ${from.o}`)
    where.add(`seq ${order === 'asc' ? '>' : '<'} ?`, from.s)
  }
  const { text } = where
  const rows = yield* query(
    `SELECT ${EVENT_COLUMNS} FROM events ${text} ORDER BY seq ${order === 'asc' ? 'ASC' : 'DESC'}
     LIMIT ${where.place(limit + 1)}`,
    ...where.values,
  )
  const events = rows.slice(0, limit).map(toStoredEvent)
  const last = events.at(-1)
  return {
    data: events.map(toWireEvent),
    next_page:
      rows.length > limit && last !== undefined ? writeCursor({ o: order, s: last.seq }) : null,
  }
}
