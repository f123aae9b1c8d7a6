import { StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { appendEvents, markProcessed } from '../log/append-events.ts'
import type { Lease } from '../log/lease.ts'
import { readEvents } from '../log/read-events.ts'
import type { NewEvent } from '../log/stored-event.ts'
import { findSession, type StoredSession } from '../sessions/stored-session.ts'
import { foldIn, noteProcessed } from './fold-log.ts'
import { emptyView, type LogView } from './log-view.ts'

/** A session while a brain works on it: what its log says, and how to add to that. */
export interface WorkedSession {
  readonly id: string
  readonly view: LogView
  /** As it was at the last look. */
  row(): StoredSession
  /** Reads what is new. */
  look(): Promise<void>
  /** Writes events and what they take up in one go, then looks. */
  append(events: readonly NewEvent[], processed?: readonly string[]): Promise<void>
}

export const workOn = async (
  database: HostedDatabase,
  lease: Lease,
  now: () => number,
): Promise<WorkedSession> => {
  const { sessionId: id } = lease
  const view = emptyView()
  let row: StoredSession | undefined

  const look = async (): Promise<void> => {
    const read = await database.read(function* () {
      const session = yield* findSession(id)
      return { session, events: yield* readEvents(id, view.seq) }
    })
    if (read.session === undefined)
      throw new StewardError('hosted_not_found', { kind: 'session', id })
    row = read.session
    for (const event of read.events) foldIn(view, event)
  }
  await look()
  const current = (): StoredSession => {
    if (row === undefined) throw new StewardError('hosted_not_found', { kind: 'session', id })
    return row
  }

  return {
    id,
    view,
    row: current,
    look,
    append: async (events, processed = []) => {
      const nowMs = now()
      await database.write(function* () {
        yield* appendEvents(id, events, { nowMs, lease })
        yield* markProcessed(lease, processed, nowMs)
      })
      noteProcessed(view, processed)
      await look()
    },
  }
}
