import type { Row, Value } from './row.ts'
import type { StoredEvent } from './stored-event.ts'

/** One statement in the common tongue of SQLite and Postgres, its parameters as `$1`, `$2`… */
export interface Statement {
  text: string
  values: readonly Value[]
}

/** Tells every process that shares the database, once the transaction is committed. */
export interface Announcement {
  sessionId: string
  /** The newest event of the session, or what its streams should show without storing it. */
  news: Appended | { type: 'archived' } | { type: 'deleted' } | { type: 'preview'; frame: string }
}

export interface Appended {
  type: 'appended'
  seq: number
  /** What was appended, up to `seq`: told within the process that did it, others read it. */
  events?: readonly StoredEvent[]
}

type Operation = Statement | { announce: Announcement }

/**
 * A transaction as a generator: it yields statements and gets rows. SQLite runs it in one go
 * within a shared commit, Postgres awaits each statement; what it says is written once.
 */
export type Tx<T> = Generator<Operation, T, readonly Row[]>

export function* query(text: string, ...values: Value[]): Tx<readonly Row[]> {
  return yield { text, values }
}

export function* one(text: string, ...values: Value[]): Tx<Row | undefined> {
  const rows = yield { text, values }
  return rows[0]
}

export function* announce(announcement: Announcement): Tx<void> {
  yield { announce: announcement }
}
