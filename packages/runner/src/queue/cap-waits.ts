import { LIMITS } from '@steward/contract'
import type { Connection } from '@steward/platform'

/** No message waits longer than this: the longest delay, or the lease of a slow receiver. */
const LONGEST_WAIT_MS = LIMITS.queueDelaySeconds * 1000

/**
 * Whether messages of the queue wait longer than any message can. They are stored with wall-clock times,
 * so a clock that is set back would otherwise hold them up until it has caught up. Quick, however long
 * the queue.
 */
export const hasEndlessWaits = (
  { statement }: Connection,
  queue: string,
  nowMs: number,
): boolean => {
  // Messages are sent in the order of their numbers, so the newest tells whether any is from the future.
  if (Number(statement(NEWEST).get()?.sent_at ?? 0) > nowMs) return true
  return Number(statement(LAST_DUE).get(queue)?.due_at ?? 0) > nowMs + LONGEST_WAIT_MS
}

/** Shortens such waits, in all queues: a message that was never tried waits as long as it was meant to. */
export const capWaits = ({ statement }: Connection, nowMs: number, visibilityMs: number): void => {
  statement(CAP).run({ now: nowMs, longest: LONGEST_WAIT_MS, visibility: visibilityMs })
}

const NEWEST = 'SELECT sent_at FROM messages ORDER BY seq DESC LIMIT 1'
const LAST_DUE = 'SELECT max(due_at) AS due_at FROM messages WHERE queue = ?'
const CAP = `
  UPDATE messages SET
    due_at = min(due_at, :now + CASE
      WHEN lease IS NOT NULL THEN :visibility
      WHEN attempts = 0 THEN max(0, min(:longest, due_at - sent_at))
      ELSE min(:longest, max(0, due_at - max(sent_at, :now))) END),
    sent_at = min(sent_at, :now)
  WHERE sent_at > :now OR due_at > :now + :longest`
