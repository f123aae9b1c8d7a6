import type { Announcement, Tx } from './tx.ts'

/** The store of hosted agents: SQLite on one machine, Postgres when several share the work. */
export interface HostedDatabase {
  readonly engine: 'sqlite' | 'postgres'
  /** Its location without a password, for messages. */
  readonly place: string
  /** Queries in one snapshot. */
  read<T>(tx: () => Tx<T>): Promise<T>
  /** Resolves after the commit is on disk; if `tx` throws, nothing is written. */
  write<T>(tx: () => Tx<T>): Promise<T>
  /**
   * Notifies all processes without storing anything: previews of a message that is being written.
   */
  tell(announcement: Announcement): void
  /** Subscribes to announcements of this and other processes, for one session or for all. */
  hear(listener: (announcement: Announcement) => void, sessionId?: string): () => void
  close(): Promise<void>
}
