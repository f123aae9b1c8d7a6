import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { Retried } from '../outbox/retry-failed.ts'

/** A failed notification that waits again. */
export interface RetriedDelivery {
  id: string
  /** Later than now if its channel is paused or at its limit. */
  sendsAt: number
}

/** The answer to a person who wants a notification sent again. */
export const describeRetry = (
  id: string,
  retried: Retried | undefined,
): Result<RetriedDelivery> => {
  if (retried === undefined) {
    return fail(new StewardError('not_found', { what: 'Notification', name: id }))
  }
  const { isQueued, delivery, sendsAt } = retried
  if (isQueued) return ok({ id, sendsAt })
  const reason = `it is ${delivery.state}; only a failed one can be sent again`
  return fail(new StewardError('invalid_input', { subject: `notification ${id}`, reason }))
}
