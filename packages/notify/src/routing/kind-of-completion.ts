import type { NotificationKind, Settings } from '@steward/contract'

const MINUTE_MS = 60_000

/** A completion that took longer than `thresholds.longTaskMinutes` is a longTask. */
export const kindOfCompletion = (
  durationMs: number | undefined,
  { notifications }: Pick<Settings, 'notifications'>,
): Extract<NotificationKind, 'taskComplete' | 'longTask'> => {
  const limitMs = notifications.thresholds.longTaskMinutes * MINUTE_MS
  return durationMs !== undefined && durationMs > limitMs ? 'longTask' : 'taskComplete'
}
