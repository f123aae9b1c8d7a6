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

/** A session while a brain works on it: its folded log, and how to append to it. */
export interface WorkedSession {
  readonly id: string
  readonly view: LogView
  /** As of the last look. */
  row(): StoredSession
  /** Reads new events. */
  look(): Promise<void>
  /** Appends events, marks the processed ones and looks, in one transaction. */
  append(events: readonly NewEvent[], processed?: readonly string[]): Promise<void>
}

export const workOn = async (
  database: HostedDatabase,
  lease: Lease,
  now: () => number,
  /** The view of the log as far as it was folded before. */
  view: LogView = emptyView(),
): Promise<WorkedSession> => {
  const { sessionId: id } = lease
  let row: StoredSession | undefined

  function* get(hold: 'hold' | 'look'): Tx<StoredSession> {
    const session = yield* findSession(id, hold)
    if (session === undefined) throw new StewardError('hosted_not_found', { kind: 'session', id })
    return session
  }
  const note = ({ session, events }: Seen): void => {
    row = session
    for (const event of events) foldIn(view, event)
  }
  const look = async (): Promise<void> =>
    note(
      await database.read(function* () {
        const session = yield* get('look')
        return { session, events: yield* readEvents(id, view.seq) }
      }),
    )
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
      const seen = await database.write(function* () {
        const before = yield* get('hold')
        const { stored, head } = yield* appendAfter(id, before, events, { nowMs, lease })
        yield* markProcessed(lease, processed, nowMs)
        const session = { ...before, ...head, updatedMs: nowMs }
        return { session, events: follows(view, stored) ? stored : yield* readEvents(id, view.seq) }
      })
      recordProcessed(view, processed)
      note(seen)
    },
  }
}

interface Seen {
  session: StoredSession
  events: readonly StoredEvent[]
}

/** Whether no other writer appended between the last look and this write. */
const follows = ({ seq }: LogView, [first]: readonly StoredEvent[]): boolean =>
  first !== undefined && first.seq === seq + 1
