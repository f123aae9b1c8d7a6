/**
 * Whether a stored deadline is still ahead. A deadline further ahead than `longestMs` was stored
 * before the clock was set back, and counts as over: otherwise it would block until the clock
 * catches up.
 */
export const isPending = (untilMs: number, nowMs: number, longestMs: number): boolean =>
  nowMs < untilMs && untilMs - nowMs <= longestMs
