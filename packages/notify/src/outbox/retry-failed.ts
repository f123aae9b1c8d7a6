import type { Connection } from '@steward/platform'
import type { ChannelStates } from './channel-states.ts'
import { type Delivery, readDelivery } from './delivery.ts'
import { RETRY_FAILED } from './statements.ts'
import { OUTCOME_UNKNOWN } from './unconfirmed-policy.ts'

/** A delivery that a person wants sent again. */
export interface Retried {
  /** Whether this call put it back; only failed deliveries can be. */
  isQueued: boolean
  delivery: Delivery
  /** The earliest next attempt, by the pause and rate limits of its channel. */
  sendsAt: number
}

interface RetryPorts extends Pick<Connection, 'statement'> {
  channels: Pick<ChannelStates, 'freeAt'>
  now: () => number
}

/** Puts a failed delivery back under its id, so that services still recognise a repeat. */
export const createRetry =
  ({ statement, channels, now }: RetryPorts) =>
  (id: string): Retried | undefined => {
    const queued = statement(RETRY_FAILED).get({ id, now: now(), unknown: OUTCOME_UNKNOWN })
    const row = queued ?? statement('SELECT * FROM deliveries WHERE id = ?').get(id)
    if (row === undefined) return undefined
    const delivery = readDelivery(row)
    const sendsAt = Math.max(now(), channels.freeAt(delivery.channel))
    return { isQueued: queued !== undefined, delivery, sendsAt }
  }
