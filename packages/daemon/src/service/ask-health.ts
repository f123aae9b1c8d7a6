import { type Health, reasonOf } from '@steward/contract'
import { createDaemonClient } from '@steward/contract/client'
import { findDaemon, type Home } from '@steward/platform'

const ANSWER_MS = 3000

export type AskedHealth =
  | { address: string; health: Health }
  /** `address` if a daemon runs but does not answer. */
  | { address?: string; reason: string }

/** The health that the daemon of a data home reports. */
export const askHealth = async (home: Home): Promise<AskedHealth> => {
  const daemon = await findDaemon(home)
  if (daemon === undefined) return { reason: 'no daemon runs on this data home' }
  const { address } = daemon
  const client = createDaemonClient({
    base: address,
    fetch: (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_MS) }),
  })
  try {
    return { address, health: await client.call('getHealth') }
  } catch (thrown) {
    return { address, reason: `${address} does not answer: ${reasonOf(thrown)}` }
  }
}
