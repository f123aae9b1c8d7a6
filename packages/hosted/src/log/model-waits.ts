import { execute, one, type Tx } from '../database/tx.ts'
import { LONGEST_WAKE_MS } from './lease.ts'

/** A model of one account at a vendor. */
export interface ModelOfAccount {
  /** The result of `accountOf`; never the key. */
  account: string
  model: string
}

/** Tells every process that shares the database not to ask the model before `untilMs`. */
export function* noteModelWait(
  { account, model }: ModelOfAccount,
  untilMs: number,
  nowMs: number,
): Tx<void> {
  // A wait further ahead than any was noted before the clock was set back.
  yield* execute(
    `INSERT INTO model_waits (account, model, until_ms) VALUES ($1, $2, $3)
     ON CONFLICT (account, model) DO UPDATE SET until_ms = excluded.until_ms
     WHERE model_waits.until_ms < excluded.until_ms OR model_waits.until_ms > $4`,
    account,
    model,
    untilMs,
    nowMs + LONGEST_WAKE_MS,
  )
}

/** When the model may be asked again, as the vendor told any process; `null` for now. */
export function* findModelWait(
  { account, model }: ModelOfAccount,
  nowMs: number,
): Tx<number | null> {
  const row = yield* one(
    `SELECT until_ms FROM model_waits
     WHERE account = $1 AND model = $2 AND until_ms > $3 AND until_ms <= $4`,
    account,
    model,
    nowMs,
    nowMs + LONGEST_WAKE_MS,
  )
  return row === undefined ? null : Number(row.until_ms)
}
