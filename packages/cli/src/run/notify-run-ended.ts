import { type FlowOutcome, noticeOfRun, type Steward } from '@steward/runner'
import type { LazyNotifier } from '../notify/lazy-notifier.ts'

/** Tells of a flow's run by the same rules as the daemon does; of a short one only when nobody watches. */
export const tellOfRun =
  (
    steward: Pick<Steward, 'settings' | 'history'>,
    { notify }: Pick<LazyNotifier, 'notify'>,
    isWatched: boolean,
  ) =>
  async (outcome: FlowOutcome): Promise<void> => {
    const notice = noticeOfRun(outcome, { ...steward, isWatched })
    if (notice !== undefined) await notify(notice)
  }
