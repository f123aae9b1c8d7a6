import type { Connection, Database } from '@steward/platform'
import { hasEndlessWaits } from './cap-waits.ts'

/** The contents of one queue. */
export interface QueueStock {
  queue: string
  /** Can be received now, including messages with an expired lease. */
  ready: number
  delayed: number
  leased: number
  /** Since when the oldest ready message could be received, in milliseconds. */
  oldestReadyAt: number | undefined
  /** When the next message becomes ready. */
  nextDueAt: number | undefined
  /** When the oldest message was sent. */
  oldestSentAt: number | undefined
}

export interface QueueBacklog {
  /** Ready messages, counted up to `max`. */
  ready: number
  oldestReadyAt: number | undefined
  nextDueAt: number | undefined
}

export interface StoredMessage {
  id: string
  body: unknown
  sentAt: number
  /** Deliveries so far. */
  attempts: number
  state: 'ready' | 'delayed' | 'leased'
}

/** Inspects all queues of a database without receiving anything. */
export interface QueueInventory {
  /** Queues that have messages, in name order. */
  names(): string[]
  stock(queue: string): QueueStock
  /** The backlog for a receiver of up to `max` messages; fast however long the queue is. */
  backlog(queue: string, max: number): QueueBacklog
  /** The first messages, longest due first. */
  peek(queue: string, limit: number): StoredMessage[]
  /**
   * Revokes every lease. Only correct if no receiver is left, because the process that held them
   * ended. The lost delivery still counts.
   */
  releaseLeases(): Promise<number>
  /** Moves all messages without a lease, as if they had just been sent there. */
  moveAll(from: string, to: string): Promise<number>
}

const STOCK = `SELECT count(*) FILTER (WHERE due_at <= ?1) AS ready,
    count(*) FILTER (WHERE due_at > ?1 AND lease IS NULL) AS delayed,
    count(*) FILTER (WHERE due_at > ?1 AND lease IS NOT NULL) AS leased,
    min(due_at) FILTER (WHERE due_at <= ?1) AS oldest_ready,
    min(due_at) FILTER (WHERE due_at > ?1) AS next_due,
    min(sent_at) AS oldest_sent
  FROM messages WHERE queue = ?2`
const READY = `SELECT count(*) AS ready, min(due_at) AS oldest_ready FROM (SELECT due_at FROM messages
  WHERE queue = ? AND due_at <= ? ORDER BY due_at LIMIT ?)`
const NEXT = 'SELECT min(due_at) AS next_due FROM messages WHERE queue = ? AND due_at > ?'
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
  backlog: (queue, max) =>
    database.read((connection) => {
      const { statement } = connection
      const nowMs = now()
      // Receiving is what puts them right, so the queue must look ready.
      if (hasEndlessWaits(connection, queue, nowMs)) {
        return { ready: max, oldestReadyAt: nowMs, nextDueAt: undefined }
      }
      const ready = statement(READY).get(queue, nowMs, max)
      const next = statement(NEXT).get(queue, nowMs)
      return {
        ready: Number(ready?.ready),
        oldestReadyAt: timeOf(ready?.oldest_ready),
        nextDueAt: timeOf(next?.next_due),
      }
    }),
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
  return {
    queue,
    ready: Number(row.ready),
    delayed: Number(row.delayed),
    leased: Number(row.leased),
    oldestReadyAt: timeOf(row.oldest_ready),
    nextDueAt: timeOf(row.next_due),
    oldestSentAt: timeOf(row.oldest_sent),
  }
}

const timeOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined

const stateOf = (dueAt: number, isLeased: boolean, nowMs: number): StoredMessage['state'] => {
  if (dueAt <= nowMs) return 'ready'
  return isLeased ? 'leased' : 'delayed'
}
