import { StewardError } from '@steward/contract'
import type { Notice } from './notice.ts'
import type { Notifier } from './notifier.ts'

/**
 * The notifier as flows use it: it answers with a receipt for the run's record. What cannot be stored
 * is thrown, so that the flow offers it again, with the same key.
 */
export const createFlowSender =
  ({ notify }: Pick<Notifier, 'notify'>) =>
  async (notice: Notice & { key: string }) => {
    const { id, stored, reason, repeated, deliveries } = await notify(notice)
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
