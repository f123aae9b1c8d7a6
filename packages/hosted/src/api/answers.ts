import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { execute, one, type Tx } from '../database/tx.ts'
import { invalid } from './refusal.ts'

/** Describes how a call can be recognised as a retry. */
export interface Repetition {
  /** Identifies the call: the caller's own key, or a hash of the whole request. */
  key: string
  requestHash: string
  /**
   * `first`: not a retry, and its response is stored for later retries. `maybe`: possibly a retry.
   */
  sort: 'first' | 'maybe'
  keptMs: number
}

const answerRow = z.object({
  request_hash: z.string(),
  status: z.coerce.number(),
  body: z.string(),
})

/**
 * Claimed by a call that has not responded yet. No other call sees this, because claim and response
 * are committed together.
 */
const UNANSWERED = 0

/**
 * Does the work once: a retry gets the response of the first call. Claim, work and response are one
 * transaction, so a crash leaves all or nothing, and a concurrent call waits for the first.
 */
export function* answerOnce(
  repetition: Repetition,
  nowMs: number,
  work: () => Tx<unknown>,
): Tx<string> {
  yield* forgetOldAnswers(nowMs)
  const known = yield* claim(repetition, nowMs)
  if (known !== undefined) return known
  const body = JSON.stringify(yield* work())
  yield* execute(
    'UPDATE answers SET status = 200, body = $2 WHERE idempotency_key = $1',
    repetition.key,
    body,
  )
  return body
}

/** Deletes a few at a time and skips locked rows, so that no call waits for the cleanup. */
function* forgetOldAnswers(nowMs: number): Tx<void> {
  yield* execute(
    `DELETE FROM answers WHERE idempotency_key IN
       (SELECT idempotency_key FROM answers WHERE expires_ms <= $1 LIMIT 20 FOR UPDATE SKIP LOCKED)`,
    nowMs,
  )
}

function* claim(
  { key, requestHash, sort, keptMs }: Repetition,
  nowMs: number,
): Tx<string | undefined> {
  const isFirst = sort === 'first'
  // An expired response may still exist, because only a limited number is deleted at a time.
  const claimed = yield* one(
    `INSERT INTO answers (idempotency_key, request_hash, status, body, expires_ms)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (idempotency_key)
     DO UPDATE SET request_hash = $2, status = $3, body = $4, expires_ms = $5
     WHERE answers.expires_ms <= $6 RETURNING idempotency_key`,
    key,
    requestHash,
    UNANSWERED,
    '',
    nowMs + keptMs,
    isFirst ? Number.MAX_SAFE_INTEGER : nowMs,
  )
  if (claimed !== undefined) return undefined
  const row = yield* one(
    'SELECT request_hash, status, body FROM answers WHERE idempotency_key = $1',
    key,
  )
  // The row was deleted meanwhile; the next retry finds out what happened.
  if (row === undefined) throw tooSoon()
  const answer = answerRow.parse(row)
  if (answer.request_hash !== requestHash)
    throw invalid('Idempotency-Key', 'it was already used for another call')
  if (answer.status === UNANSWERED) throw tooSoon()
  return answer.body
}

const tooSoon = (): StewardError =>
  StewardError.restore('hosted_lease_lost', 'the same call is still in progress; retry it')
