import { isQuietAt, type QuietHours } from '@steward/notify'
import { PRIORITY, type SpeechLine } from '../speech-line.ts'

export interface Silence {
  nowMs: number
  mutedUntilMs: number
  quietHours: QuietHours | undefined
}

/**
 * How silence affects a line. Muted: errors and security wait for its end, the rest is skipped.
 * Quiet hours: security is spoken, the rest is skipped.
 */
export const judgeSilence = (
  { priority }: Pick<SpeechLine, 'priority'>,
  { nowMs, mutedUntilMs, quietHours }: Silence,
): 'speak' | 'wait' | 'muted' | 'quiet_hours' => {
  const isQuiet = priority !== PRIORITY.security && isQuietAt(nowMs, quietHours)
  if (isQuiet) return 'quiet_hours'
  if (nowMs >= mutedUntilMs) return 'speak'
  return priority === PRIORITY.normal ? 'muted' : 'wait'
}
