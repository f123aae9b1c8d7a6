import { statSync, writeFileSync } from 'node:fs'
import type { StoredHistory } from './open-history.ts'
import type { RetentionPolicy } from './prune-history.ts'

const DAY_MS = 86_400_000

/** Prunes once a day, however often Steward starts: `marker` stores when. */
export const pruneWhenDue = async (
  history: Pick<StoredHistory, 'prune'>,
  policy: RetentionPolicy,
  marker: string,
  nowMs: number,
): Promise<void> => {
  const last = statSync(marker, { throwIfNoEntry: false })?.mtimeMs ?? 0
  // A marker from the future was left before the clock was set back.
  if (last <= nowMs && nowMs - last < DAY_MS) return
  // Marked first, so that two processes closing at once do not both prune.
  writeFileSync(marker, `${new Date(nowMs).toISOString()}\n`)
  await history.prune(policy, nowMs)
}
