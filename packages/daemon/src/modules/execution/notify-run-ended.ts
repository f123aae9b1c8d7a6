import { type FlowOutcome, type LocalRuntime, noticeOfRun } from '@steward/runner'
import type { Notices } from '../../ports.ts'

/**
 * Runs of the daemon are unattended, so the person is notified of their end. The notice is on disk
 * before the run ends, so that a crash between the two loses neither.
 */
export const notifyRunEnded =
  (steward: Pick<LocalRuntime, 'settings' | 'history'>, notices: Notices) =>
  async (outcome: FlowOutcome): Promise<void> => {
    const notice = noticeOfRun(outcome, { ...steward, isWatched: false })
    if (notice !== undefined) await notices.send(notice)
  }
