import { ok, type Result } from '@steward/contract'
import type { Home } from '../home/home.ts'
import { bumpToolActivity, type ToolActivityOutcome } from './bump-tool-activity.ts'
import {
  readWorkState,
  updateWorkState,
  type WorkStatePorts,
  type WorkStateUpdate,
} from './work-state-file.ts'

/**
 * Records tool use. Most calls fall within 30 seconds of an earlier one and only read, without the
 * lock.
 */
export const recordToolActivity = async (
  home: Pick<Home, 'workState'>,
  sessionUUID: string,
  ports: WorkStatePorts,
): Promise<Result<WorkStateUpdate<ToolActivityOutcome>>> => {
  const seen = await readWorkState(home)
  if (seen.ok) {
    const { state, outcome } = bumpToolActivity(seen.value, sessionUUID, ports.now())
    if (!outcome.bumped) return ok({ state, outcome, written: false })
  }
  return updateWorkState(home, (state, nowMs) => bumpToolActivity(state, sessionUUID, nowMs), ports)
}
