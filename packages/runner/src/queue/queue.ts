import { randomUUID } from 'node:crypto'
import { LIMITS, StewardError } from '@steward/contract'
import type { QueueMessage } from '@steward/engine'
import type { Connection, Database } from '@steward/platform'
import { capWaits, hasEndlessWaits } from './cap-waits.ts'
import { checkBatch, checkDelay } from './check-batch.ts'

export interface QueueOptions {
  now: () => number
  /** Deliveries after the first; one more failure makes it a dead letter. */
  maxRetries?: number
  /** The queue for failed messages. Without one they are dropped, as on the platform. */
  deadLetterQueue?: string
  /** How long a receiver has before its messages are delivered again. */
  visibilityMs?: number
}

export interface ReceivedMessage {
  id: string
  body: unknown
  sentAt: number
  /** The delivery count, from 1. */
  attempts: number
  /**
   * Removes the message. False if this receiver no longer holds it: settled, or its lease expired.
   */
  ack(): Promise<boolean>
  /**
   * Returns the message to the queue. The first of `ack` and `retry` counts. `uncounted`: nobody
   * worked on it, so this delivery is not one of its attempts.
   */
  retry(options?: { delaySeconds?: number; uncounted?: true }): Promise<RetryOutcome>
}

export type RetryOutcome = 'requeued' | 'dead-lettered' | 'dropped' | 'not-leased'

export interface QueueCounts {
  /** Can be received now, including messages with an expired lease. */
  ready: number
  delayed: number
  leased: number
  /** In the dead letter queue; 0 without one. */
  dead: number
}

export interface Queue {
  readonly name: string
  /** All or nothing; resolves when the messages are on disk. */
  sendBatch(messages: readonly QueueMessage[], options?: { delaySeconds?: number }): Promise<void>
  /** Leases up to `max` messages, longest due first. */
  receive(max?: number): Promise<ReceivedMessage[]>
  inspect(): QueueCounts
}

const INSERT = 'INSERT INTO messages (id, queue, body, sent_at, due_at) VALUES (?, ?, ?, ?, ?)'
const DUE = `SELECT seq, id, body, sent_at, attempts FROM messages
  WHERE queue = ? AND due_at <= ? ORDER BY due_at, seq LIMIT ?`
const LEASE = 'UPDATE messages SET lease = ?, attempts = attempts + 1, due_at = ? WHERE seq = ?'
const COUNT = `SELECT count(*) FILTER (WHERE due_at <= ?1) AS ready,
    count(*) FILTER (WHERE due_at > ?1 AND lease IS NULL) AS delayed,
    count(*) FILTER (WHERE due_at > ?1 AND lease IS NOT NULL) AS leased
  FROM messages WHERE queue = ?2`

/** A durable queue with the edge platform's semantics: at least once, acknowledged individually. */
export const createQueue = (
  database: Database,
  name: string,
  { now, maxRetries = 3, deadLetterQueue, visibilityMs = 15 * 60_000 }: QueueOptions,
): Queue => {
  checkRetries(name, maxRetries)

  /** A message that failed its last delivery becomes a dead letter, with a reset count. */
  const giveUp = ({ statement }: Connection, seq: number): RetryOutcome => {
    if (deadLetterQueue === undefined) {
      statement('DELETE FROM messages WHERE seq = ?').run(seq)
      return 'dropped'
    }
    statement(
      'UPDATE messages SET queue = ?, attempts = 0, lease = NULL, due_at = ? WHERE seq = ?',
    ).run(deadLetterQueue, now(), seq)
    return 'dead-lettered'
  }

  const ack = (seq: number, lease: string): Promise<boolean> =>
    database.write(({ statement }) => {
      const { changes } = statement('DELETE FROM messages WHERE seq = ? AND lease = ?').run(
        seq,
        lease,
      )
      return changes === 1
    })

  const retry = (
    seq: number,
    lease: string,
    delaySeconds: number,
    uncounted: boolean,
  ): Promise<RetryOutcome> =>
    database.write((connection) => {
      const { statement } = connection
      const row = statement('SELECT attempts FROM messages WHERE seq = ? AND lease = ?').get(
        seq,
        lease,
      )
      if (row === undefined) return 'not-leased'
      const attempts = Number(row.attempts) - (uncounted ? 1 : 0)
      if (attempts > maxRetries) return giveUp(connection, seq)
      statement('UPDATE messages SET lease = NULL, attempts = ?, due_at = ? WHERE seq = ?').run(
        attempts,
        now() + delaySeconds * 1000,
        seq,
      )
      return 'requeued'
    })

  const leaseDue = (connection: Connection, max: number): ReceivedMessage[] => {
    const { statement } = connection
    const leased: ReceivedMessage[] = []
    if (hasEndlessWaits(connection, name, now())) capWaits(connection, now(), visibilityMs)
    while (leased.length < max) {
      const rows = statement(DUE).all(name, now(), max - leased.length)
      if (rows.length === 0) break
      for (const row of rows) {
        const seq = Number(row.seq)
        const attempts = Number(row.attempts) + 1
        // Its receiver died during the last delivery.
        if (attempts > maxRetries + 1) {
          giveUp(connection, seq)
          continue
        }
        const lease = randomUUID()
        statement(LEASE).run(lease, now() + visibilityMs, seq)
        const subject = `message ${row.id} of queue ${name}`
        leased.push({
          id: String(row.id),
          body: JSON.parse(String(row.body)),
          sentAt: Number(row.sent_at),
          attempts,
          ack: () => ack(seq, lease),
          retry: async ({ delaySeconds = 0, uncounted = false } = {}) =>
            retry(seq, lease, checkDelay(subject, delaySeconds), uncounted),
        })
      }
    }
    return leased
  }

  return {
    name,
    sendBatch: async (messages, { delaySeconds = 0 } = {}) => {
      const checked = checkBatch(name, messages, delaySeconds)
      if (checked.length === 0) return
      await database.write(({ statement }) => {
        const sentAt = now()
        for (const { text, delaySeconds: delay } of checked) {
          statement(INSERT).run(randomUUID(), name, text, sentAt, sentAt + delay * 1000)
        }
      })
    },
    receive: (max = LIMITS.queueBatchMessages) =>
      database.write((connection) =>
        leaseDue(connection, Math.min(max, LIMITS.queueBatchMessages)),
      ),
    inspect: () =>
      database.read((connection) => {
        const counts = countMessages(connection, name, now())
        const dead =
          deadLetterQueue === undefined
            ? []
            : Object.values(countMessages(connection, deadLetterQueue, now()))
        return { ...counts, dead: dead.reduce((sum, count) => sum + count, 0) }
      }),
  }
}

const countMessages = ({ statement }: Connection, queue: string, nowMs: number) => {
  const row = statement(COUNT).get(nowMs, queue)
  return { ready: Number(row?.ready), delayed: Number(row?.delayed), leased: Number(row?.leased) }
}

const checkRetries = (name: string, maxRetries: number): void => {
  if (Number.isInteger(maxRetries) && maxRetries >= 0 && maxRetries <= LIMITS.queueRetries) return
  const reason = `maxRetries is ${maxRetries}; use a whole number from 0 to ${LIMITS.queueRetries}`
  throw new StewardError('invalid_input', { subject: `queue ${name}`, reason, field: 'maxRetries' })
}
