import { StewardError } from '@steward/contract'
import { z } from 'zod'
import { one, query, type Tx } from '../database/tx.ts'
import { invalid } from './refusal.ts'

/** How a call says that it may be a repetition. */
export interface Repetition {
  /** Names the call: the caller's own key, or a hash of all it says. */
  key: string
  requestHash: string
  /** `first`: it is none, and its answer is kept for one that may follow. `maybe`: it may be one. */
  sort: 'first' | 'maybe'
  keptMs: number
}

const answerRow = z.object({
  request_hash: z.string(),
  status: z.coerce.number(),
  body: z.string(),
})

/** Claimed by a call that has not answered yet; nobody else sees it, as it is written in one commit. */
const UNANSWERED = 0

/**
 * Does the work once: a repetition gets the answer of the first call. Claim, work and answer are one
 * transaction, so that a crash leaves all or nothing, and a call at the same time waits for the first.
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
  yield* query(
    'UPDATE answers SET status = 200, body = $2 WHERE idempotency_key = $1',
    repetition.key,
    body,
  )
  return body
}

/** A few at a time, and none that another call is at: nobody waits for tidying up. */
function* forgetOldAnswers(nowMs: number): Tx<void> {
  yield* query(
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
  // An answer whose time is over may still be there: only so many are forgotten at a time.
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
  // Gone in between: whoever sends it once more finds out what became of it.
  if (row === undefined) throw tooSoon()
  const answer = answerRow.parse(row)
  if (answer.request_hash !== requestHash)
    throw invalid('Idempotency-Key', 'it was used for another call before')
  if (answer.status === UNANSWERED) throw tooSoon()
  return answer.body
}

const tooSoon = (): StewardError =>
  StewardError.restore('hosted_lease_lost', 'the same call is being answered; send it again')
