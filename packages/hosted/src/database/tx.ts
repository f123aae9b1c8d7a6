import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { Row, Value } from './row.ts'
import type { StoredEvent } from './stored-event.ts'

/** One statement in the common dialect of SQLite and Postgres, with parameters `$1`, `$2`… */
export interface Statement {
  text: string
  values: readonly Value[]
  /** Nothing reads its rows, so that Postgres receives the next statement without waiting. */
  unread?: true
}

/** Notifies every process that shares the database after the commit. */
export interface Announcement {
  sessionId: string
  /** The newest event of the session, or data that its streams show without storing it. */
  news: Appended | { type: 'archived' } | { type: 'deleted' } | { type: 'preview'; frame: string }
}

export interface Appended {
  type: 'appended'
  seq: number
  /** The appended events up to `seq`; passed only within this process, others read them. */
  events?: readonly StoredEvent[]
}

type Operation = Statement | { announce: Announcement }

/**
 * A transaction as a generator that yields statements and receives rows. SQLite runs it immediately
 * within a shared commit, Postgres awaits each statement, so the code exists only once.
 */
export type Tx<T> = Generator<Operation, T, readonly Row[]>

export function* query(text: string, ...values: Value[]): Tx<readonly Row[]> {
  return yield { text, values }
}

export function* one(text: string, ...values: Value[]): Tx<Row | undefined> {
  const rows = yield { text, values }
  return rows[0]
}

/** A statement whose rows are not needed. If it fails, the transaction does. */
export function* execute(text: string, ...values: Value[]): Tx<void> {
  yield { text, values, unread: true }
}

/** Undoes refused work without giving up the transaction. */
export function* attempt<T>(work: () => Tx<T>): Tx<Result<T>> {
  yield* execute('SAVEPOINT attempt')
  try {
    const value = yield* work()
    yield* execute('RELEASE SAVEPOINT attempt')
    return ok(value)
  } catch (thrown) {
    if (!(thrown instanceof StewardError) || thrown.status >= 500) throw thrown
    // Awaited first, because undoing would hide a failure that has not arrived, and the rest would be committed.
    yield* query('ROLLBACK TO SAVEPOINT attempt')
    yield* execute('RELEASE SAVEPOINT attempt')
    return fail(thrown)
  }
}

export function* announce(announcement: Announcement): Tx<void> {
  yield { announce: announcement }
}
