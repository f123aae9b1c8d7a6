import type { Connection, Database } from '../database/database.ts'

/** What waits in one queue. */
export interface QueueStock {
  queue: string
  /** Could be received now, those whose receiver's lease ran out among them. */
  ready: number
  delayed: number
  leased: number
  /** From when on the longest-waiting ready message could be received; milliseconds. */
  oldestReadyAt: number | undefined
  /** When the next message that is not ready will be. */
  nextDueAt: number | undefined
  /** When the oldest message of all was sent. */
  oldestSentAt: number | undefined
}

export interface StoredMessage {
  id: string
  body: unknown
  sentAt: number
  /** Deliveries so far. */
  attempts: number
  state: 'ready' | 'delayed' | 'leased'
}

/** All queues of a database from above, without receiving anything. */
export interface QueueInventory {
  /** Queues that have messages, in name order. */
  names(): string[]
  stock(queue: string): QueueStock
  /** The first messages, longest due first. */
  peek(queue: string, limit: number): StoredMessage[]
  /**
   * Takes every lease back: right only for who knows that no receiver is left, because the process
   * that had them ended. The lost delivery still counts as one.
   */
  releaseLeases(): Promise<number>
  /** Moves all messages that nobody has leased, as if they had just been sent there. */
  moveAll(from: string, to: string): Promise<number>
}

const STOCK = `SELECT count(*) FILTER (WHERE due_at <= ?1) AS ready,
    count(*) FILTER (WHERE due_at > ?1 AND lease IS NULL) AS delayed,
    count(*) FILTER (WHERE due_at > ?1 AND lease IS NOT NULL) AS leased,
    min(due_at) FILTER (WHERE due_at <= ?1) AS oldest_ready,
    min(due_at) FILTER (WHERE due_at > ?1) AS next_due,
    min(sent_at) AS oldest_sent
  FROM messages WHERE queue = ?2`
const PEEK = `SELECT id, body, sent_at, attempts, due_at, lease FROM messages
  WHERE queue = ? ORDER BY due_at, seq LIMIT ?`

const MOVE = `UPDATE messages SET queue = ?1, attempts = 0, lease = NULL, due_at = ?2
  WHERE queue = ?3 AND (lease IS NULL OR due_at <= ?2)`

export const createQueueInventory = (database: Database, now: () => number): QueueInventory => ({
  names: () =>
    database
      .read(({ statement }) =>
        statement('SELECT DISTINCT queue FROM messages ORDER BY queue').all(),
      )
      .map((row) => String(row.queue)),
  stock: (queue) => database.read((connection) => readStock(connection, queue, now())),
  peek: (queue, limit) =>
    database
      .read(({ statement }) => statement(PEEK).all(queue, limit))
      .map((row) => ({
        id: String(row.id),
        body: JSON.parse(String(row.body)),
        sentAt: Number(row.sent_at),
        attempts: Number(row.attempts),
        state: stateOf(Number(row.due_at), row.lease !== null, now()),
      })),
  releaseLeases: () =>
    database.write(({ statement }) => {
      const { changes } = statement(
        'UPDATE messages SET lease = NULL, due_at = ? WHERE lease IS NOT NULL',
      ).run(now())
      return Number(changes)
    }),
  moveAll: (from, to) =>
    database.write(({ statement }) => {
      const { changes } = statement(MOVE).run(to, now(), from)
      return Number(changes)
    }),
})

const readStock = ({ statement }: Connection, queue: string, nowMs: number): QueueStock => {
  const row = statement(STOCK).get(nowMs, queue) ?? {}
  const time = (value: unknown) => (typeof value === 'number' ? value : undefined)
  return {
    queue,
    ready: Number(row.ready),
    delayed: Number(row.delayed),
    leased: Number(row.leased),
    oldestReadyAt: time(row.oldest_ready),
    nextDueAt: time(row.next_due),
    oldestSentAt: time(row.oldest_sent),
  }
}

const stateOf = (dueAt: number, isLeased: boolean, nowMs: number): StoredMessage['state'] => {
  if (dueAt <= nowMs) return 'ready'
  return isLeased ? 'leased' : 'delayed'
}
