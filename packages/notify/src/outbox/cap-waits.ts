import type { ChannelName } from '@steward/contract'
import type { Database } from '@steward/platform'
import { LONGEST_HOLD_MS } from '../routing/quiet-hours.ts'
import { LONGEST_WAIT_MS } from './delivery-policy.ts'

/**
 * Shortens waits that exceed the longest possible wait. They are stored as wall-clock times, so
 * setting the clock back would otherwise silence the channel until it catches up.
 */
export const createWaitCap = (
  { statement, read, writeNow }: Pick<Database, 'statement' | 'read' | 'writeNow'>,
  now: () => number,
): ((channel: ChannelName) => void) => {
  return (channel) => {
    const rest = { channel, latest: now() + LONGEST_WAIT_MS }
    const waits = {
      channel,
      now: now(),
      longestWait: LONGEST_WAIT_MS,
      longestHold: LONGEST_HOLD_MS,
    }
    // Read first: this is asked every second, and writing would make every other process wait.
    const isTooLong = read(
      () =>
        statement(RESTS_TOO_LONG).get(rest) !== undefined ||
        statement(WAITS_TOO_LONG).get(waits) !== undefined,
    )
    if (!isTooLong) return
    writeNow(() => {
      statement(CAP_REST).run(rest)
      statement(CAP_WAITS).run(waits)
    })
  }
}

const RESTS_TOO_LONG = 'SELECT 1 FROM channels WHERE name = :channel AND rest_until > :latest'
const CAP_REST =
  'UPDATE channels SET rest_until = :latest WHERE name = :channel AND rest_until > :latest'

/** A hold keeps its original length. */
const LATEST_HOLD = 'min(held_until, :now + min(:longestHold, max(0, held_until - created_at)))'
/** A delivery without attempts only waits for the end of its hold. */
const LATEST_NEXT = `max(${LATEST_HOLD}, :now + iif(attempts = 0, 0, :longestWait))`
const TOO_LONG = `
  channel = :channel AND state = 'waiting'
  AND (held_until > ${LATEST_HOLD} OR next_at > ${LATEST_NEXT})`
const WAITS_TOO_LONG = `SELECT 1 FROM deliveries WHERE ${TOO_LONG} LIMIT 1`
const CAP_WAITS = `
  UPDATE deliveries
  SET created_at = min(created_at, :now), held_until = ${LATEST_HOLD}, next_at = min(next_at, ${LATEST_NEXT})
  WHERE ${TOO_LONG}`
