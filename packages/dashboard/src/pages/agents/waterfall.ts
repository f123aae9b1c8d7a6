import type { SubagentRun } from '@steward/contract'

/** A subagent as a bar between 0 and 1 of the time that is shown. */
export interface Bar {
  run: SubagentRun
  startMs: number
  endMs: number
  from: number
  width: number
}

export interface Waterfall {
  fromMs: number
  toMs: number
  bars: Bar[]
}

/** The least a bar is wide, so that a short one can still be seen. */
const LEAST = 0.004

/** Subagents of the last hours as bars on one axis, in the order they began. */
export const layOutWaterfall = (
  runs: readonly SubagentRun[],
  nowMs: number,
  shown = 40,
): Waterfall | undefined => {
  const known = runs
    .map((run) => {
      const startMs = Date.parse(run.startedAt)
      const stopMs = run.stoppedAt === undefined ? nowMs : Date.parse(run.stoppedAt)
      return { run, startMs, endMs: Math.max(startMs, stopMs) }
    })
    .filter(({ startMs, endMs }) => Number.isFinite(startMs) && Number.isFinite(endMs))
    .sort((one, other) => one.startMs - other.startMs)
    .slice(-shown)
  const fromMs = known[0]?.startMs
  if (fromMs === undefined) return undefined
  const toMs = Math.max(fromMs + 1, ...known.map(({ endMs }) => endMs))
  const length = toMs - fromMs
  const bars = known.map(({ run, startMs, endMs }) => ({
    run,
    startMs,
    endMs,
    from: (startMs - fromMs) / length,
    width: Math.max(LEAST, (endMs - startMs) / length),
  }))
  return { fromMs, toMs, bars }
}
