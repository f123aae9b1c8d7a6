import { type RatingRow, StewardError } from '@steward/contract'
import type { AssistantFiles } from '../files/assistant-files.ts'
import type { TaskState } from '../tasks/task-state.ts'
import { addEvidence, addOpinion } from './opinions.ts'

const WELL = 7
const BADLY = 4
/** The only opinion that ratings support without guessing. */
const WORK_GOES_WELL = {
  id: 'our-work-goes-well',
  topic: 'how we work',
  position: 'Our work together goes well.',
  source: 'ratings',
}

/**
 * A rating of 7 or more is evidence that work goes well, one of 4 or less is evidence against it;
 * each rating counts once, even after a restart. Returns whether any was counted.
 */
export const takeRatings = async (
  ratings: readonly RatingRow[],
  ports: { files: AssistantFiles; state: TaskState; nowMs: number; day: string },
): Promise<boolean> => {
  const { files, state, nowMs, day } = ports
  let hasCounted = false
  for (const { timestamp, session_id, rating, comment } of ratings) {
    if (rating < WELL && rating > BADLY) continue
    const key = `rating:${timestamp}|${session_id}|${rating}`
    if (!(await state.recordEvidence(key, nowMs))) continue
    await ensureOpinion(files, day)
    const note = `rated ${rating}${comment === undefined ? '' : `: ${comment.slice(0, 200)}`}`
    const stance = rating >= WELL ? 'for' : 'against'
    await addEvidence(files, WORK_GOES_WELL.id, { stance, note }, day)
    hasCounted = true
  }
  return hasCounted
}

const ensureOpinion = async (files: AssistantFiles, day: string): Promise<void> => {
  try {
    await addOpinion(files, WORK_GOES_WELL, day)
  } catch (thrown) {
    if (!(thrown instanceof StewardError) || thrown.code !== 'already_exists') throw thrown
  }
}
