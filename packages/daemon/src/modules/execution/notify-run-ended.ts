import { type FlowOutcome, type LocalRuntime, noticeOfRun } from '@steward/runner'
import type { Notices } from '../../ports.ts'

/**
 * No one watches a run of the daemon, so the person is notified of its end. The notice is on
 * disk before the end of the run, so that a crash between the two loses neither.
 */
export const notifyRunEnded =
  (steward: Pick<LocalRuntime, 'settings' | 'history'>, notices: Notices) =>
  async (outcome: FlowOutcome): Promise<void> => {
    const notice = noticeOfRun(outcome, { ...steward, isWatched: false })
    if (notice !== undefined) await notices.send(notice)
  }
