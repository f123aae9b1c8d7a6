import { type FlowOutcome, type LocalRuntime, noticeOfRun } from '@steward/runner'
import type { LazyNotifier } from '../notifier/lazy-notifier.ts'

/** Notifies of a finished run by the daemon's rules; for a short run only if it is not watched. */
export const notifyRunEnded =
  (
    steward: Pick<LocalRuntime, 'settings' | 'history'>,
    { notify }: Pick<LazyNotifier, 'notify'>,
    isWatched: boolean,
  ) =>
  async (outcome: FlowOutcome): Promise<void> => {
    const notice = noticeOfRun(outcome, { ...steward, isWatched })
    if (notice !== undefined) await notify(notice)
  }
