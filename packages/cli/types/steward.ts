/**
 * What an action can say about its item, here and on the edge. Steward writes this file to
 * `USER/lib/steward.ts` and replaces it when it changes, so keep your own code in other files.
 *
 *     import { filter, progress, reject } from '../../lib/steward.ts'
 */

/** Rejects the item for good, because its content cannot be used. */
export const reject = (reason: string): never => fail('rejected_content', reason)

/** Drops the item: nothing is wrong, it is only not wanted. The rest of the pipeline is skipped. */
export const filter = (reason: string): never => fail('item_filtered', reason)

/** Fails for now: the item is tried again, not before `afterSeconds` if that is given. */
export const retryLater = (reason: string, afterSeconds?: number): never =>
  fail(
    'upstream_failed',
    reason,
    afterSeconds === undefined ? {} : { retryAfterSeconds: afterSeconds },
  )

/** Writes a line of progress to the log of the run: `3 of 10 pages`. */
export const progress = (
  context: { log: (text: string) => void },
  done: number,
  total: number,
  what = '',
): void => context.log(`${done} of ${total} ${what}`.trim())

const fail = (code: string, message: string, details: Record<string, unknown> = {}): never => {
  throw Object.assign(new Error(message), { name: 'StewardError', code, details })
}
