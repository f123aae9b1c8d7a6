import type { AssistantTask } from '@steward/contract'
import { firingsBetween } from '../schedule/next-firing.ts'

export interface FiringPlan {
  fire: number[]
  /** Due but skipped. */
  missed: number[]
}

/** A firing that is later than this counts as missed. */
const LATE_MS = 60_000
/** Earlier missed firings are ignored. */
const LOOK_BACK_MS = 31 * 86_400_000
const MOST_AT_ONCE = 100

/**
 * Plans the firings after `cursorMs` up to now. `once`: only the newest. `all`: all of them, at
 * most a hundred. `skip`: only one that is not late.
 */
export const planFirings = (
  { schedule, catchUp }: Pick<AssistantTask, 'schedule' | 'catchUp'>,
  { cursorMs, nowMs, zone }: { cursorMs: number; nowMs: number; zone: string },
): FiringPlan => {
  const isOnce = 'at' in schedule
  const afterMs = isOnce ? cursorMs : Math.max(cursorMs, nowMs - LOOK_BACK_MS)
  const range = { afterMs, untilMs: nowMs, limit: MOST_AT_ONCE }
  const { times } = firingsBetween(schedule, range, zone)
  if (catchUp === 'all') return { fire: times, missed: [] }
  const newest = times.at(-1)
  if (newest === undefined) return { fire: [], missed: [] }
  if (catchUp === 'skip' && nowMs - newest > LATE_MS) return { fire: [], missed: times }
  return { fire: [newest], missed: times.slice(0, -1) }
}
