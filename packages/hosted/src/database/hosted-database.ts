import type { Announcement, Tx } from './tx.ts'

/** The store of hosted agents: SQLite on one machine, Postgres where several share the work. */
export interface HostedDatabase {
  readonly engine: 'sqlite' | 'postgres'
  /** Where it is, without a password, for messages. */
  readonly place: string
  /** Queries in one snapshot. */
  read<T>(tx: () => Tx<T>): Promise<T>
  /** Resolves after the commit is on disk; a `tx` that throws leaves nothing. */
  write<T>(tx: () => Tx<T>): Promise<T>
  /** Tells all processes now, with nothing stored: previews of a message that is being written. */
  tell(announcement: Announcement): void
  /** Hears what was announced by this process and by others, of one session or of all. */
  hear(listener: (announcement: Announcement) => void, sessionId?: string): () => void
  close(): Promise<void>
}
