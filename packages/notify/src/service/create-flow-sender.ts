import { StewardError } from '@steward/contract'
import type { Notice } from './notice.ts'
import type { Notifier } from './notifier.ts'

/**
 * The notifier for flows: returns a receipt for the run's record. Throws if the notice cannot be
 * stored or reaches no channel, so that the flow retries it with the same key.
 */
export const createFlowSender =
  ({ notify }: Pick<Notifier, 'notify'>) =>
  async (notice: Notice & { key: string }) => {
    const outcome = await notify({ ...notice, needsChannel: true })
    const {
      id,
      stored,
      reason = 'no reason was given',
      unreachable,
      repeated,
      deliveries,
    } = outcome
    if (unreachable !== undefined) {
      const details = { subject: 'the notify destination', reason: unreachable }
      throw new StewardError('not_configured', details)
    }
    if (!stored) throw new StewardError('storage_failed', { path: 'the outbox', reason })
    return {
      key: notice.key,
      ...(repeated === true ? { repeated } : { notice: id }),
      channels: deliveries.map(({ channel, state, detail }) => ({
        channel,
        state,
        ...(detail === null ? {} : { detail }),
      })),
    }
  }
