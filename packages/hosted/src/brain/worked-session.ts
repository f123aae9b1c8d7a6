import { StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { NewEvent, StoredEvent } from '../database/stored-event.ts'
import type { Tx } from '../database/tx.ts'
import { appendAfter, markProcessed } from '../log/append-events.ts'
import type { Lease } from '../log/lease.ts'
import { readEvents } from '../log/read-events.ts'
import { findSession, type StoredSession } from '../log/stored-session.ts'
import { foldIn, recordProcessed } from './fold-log.ts'
import { emptyView, type LogView } from './log-view.ts'
import { postToSession } from './threads/post-to-session.ts'
import { toThreadEvents } from './threads/thread-events.ts'

/** A session while a brain works on it: its folded log, and how to append to it. */
export interface WorkedSession {
  readonly id: string
  readonly view: LogView
  /** As of the last look. */
  row(): StoredSession
  /** The session that a thread belongs to, or the session itself: whose budget applies. */
  root(): StoredSession
  /** Reads new events. */
  look(): Promise<void>
  /**
   * Appends events, marks the processed ones and looks, in one transaction; `also` is part of it. The
   * session of a thread gets what concerns it.
   */
  append(
    events: readonly NewEvent[],
    processed?: readonly string[],
    also?: (row: StoredSession) => Tx<void>,
  ): Promise<void>
}

export const workOn = async (
  database: HostedDatabase,
  lease: Lease,
  now: () => number,
  /** The view of the log as far as it was folded before. */
  view: LogView = emptyView(),
): Promise<WorkedSession> => {
  const { sessionId: id } = lease
  let rows: Rows | undefined
  let parentId: string | null | undefined

  function* get(hold: 'hold' | 'look'): Tx<Rows> {
    // A session is always locked before its threads.
    const parent = parentId ? yield* findSession(parentId, hold) : undefined
    const row = yield* findSession(id, hold)
    if (row === undefined) throw new StewardError('hosted_not_found', { kind: 'session', id })
    if (row.parentId === null || parent !== undefined) return { row, parent }
    return { row, parent: yield* findSession(row.parentId, hold) }
  }
  const note = ({ events, ...seen }: Rows & Seen): void => {
    rows = seen
    parentId = seen.row.parentId
    for (const event of events) foldIn(view, event)
  }
  const look = async (): Promise<void> =>
    note(
      await database.read(function* () {
        const seen = yield* get('look')
        return { ...seen, events: yield* readEvents(id, view.seq) }
      }),
    )
  await look()
  const current = (): Rows => {
    if (rows === undefined) throw new StewardError('hosted_not_found', { kind: 'session', id })
    return rows
  }

  return {
    id,
    view,
    row: () => current().row,
    root: () => current().parent ?? current().row,
    look,
    append: async (given, processed = [], also) => {
      const nowMs = now()
      const seen = await database.write(function* () {
        const { row: before, parent: session } = yield* get('hold')
        const events = session ? toThreadEvents(before, session.body.thread_id, view, given) : given
        const { stored, head } = yield* appendAfter(id, before, events, { nowMs, lease })
        yield* markProcessed(lease, processed, nowMs)
        const parent = session && (yield* postToSession(session, before, stored, nowMs))
        if (also !== undefined) yield* also(before)
        const row = { ...before, ...head, updatedMs: nowMs }
        const fresh = follows(view, stored) ? stored : yield* readEvents(id, view.seq)
        return { row, parent, events: fresh }
      })
      recordProcessed(view, processed)
      note(seen)
    },
  }
}

interface Rows {
  row: StoredSession
  /** The session of a thread. */
  parent: StoredSession | undefined
}

interface Seen {
  events: readonly StoredEvent[]
}

/** Whether no other writer appended between the last look and this write. */
const follows = ({ seq }: LogView, [first]: readonly StoredEvent[]): boolean =>
  first !== undefined && first.seq === seq + 1
