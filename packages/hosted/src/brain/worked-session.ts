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

/** A session while a brain works on it: what its log says, and how to add to that. */
export interface WorkedSession {
  readonly id: string
  readonly view: LogView
  /** As it was at the last look. */
  row(): StoredSession
  /** Reads what is new. */
  look(): Promise<void>
  /** Writes events and what they take up, and looks, in one go. */
  append(events: readonly NewEvent[], processed?: readonly string[]): Promise<void>
}

export const workOn = async (
  database: HostedDatabase,
  lease: Lease,
  now: () => number,
  /** What the log says up to where it was folded before. */
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

/** Whether nobody wrote anything between what was seen and what was written just now. */
const follows = ({ seq }: LogView, [first]: readonly StoredEvent[]): boolean =>
  first !== undefined && first.seq === seq + 1
