/**
 * Whether a stored deadline is still ahead. One that is further ahead than it can be set was set
 * before the clock was set back, and counts as over: otherwise it would block until the clock
 * catches up.
 */
export const isPending = (untilMs: number, nowMs: number, longestMs: number): boolean =>
  nowMs < untilMs && untilMs - nowMs <= longestMs
