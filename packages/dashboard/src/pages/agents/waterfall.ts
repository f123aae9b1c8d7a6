import type { SubagentRun } from '@steward/contract'

/** A subagent as a bar between 0 and 1 of the shown time. */
interface Bar {
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
  /** Round times for the axis. */
  ticks: { atMs: number; at: number }[]
}

/** Minimum width of a bar, so that a short one is visible. */
const LEAST = 0.004

/** Subagents of the last hours as bars on one axis, in start order. */
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
  return { fromMs, toMs, bars, ticks: chooseTicks(fromMs, toMs) }
}

const MINUTE_MS = 60_000
const STEPS_MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]
/** More would overlap on a phone. */
const MOST_TICKS = 5
/** Closer to an end, a tick's label would be cut off. */
const MARGIN = 0.05

/** Whole minutes, hours or days, as many as fit. */
const chooseTicks = (fromMs: number, toMs: number): Waterfall['ticks'] => {
  const length = toMs - fromMs
  const days = Math.ceil(length / (1440 * MINUTE_MS * MOST_TICKS))
  const minutes = STEPS_MINUTES.find((each) => length / (each * MINUTE_MS) <= MOST_TICKS)
  const step = (minutes ?? 1440 * days) * MINUTE_MS
  // In local time, whose offset may be a half hour.
  const shift = new Date(fromMs).getTimezoneOffset() * MINUTE_MS
  const first = Math.ceil((fromMs - shift) / step) * step + shift
  const count = Math.max(0, Math.floor((toMs - first) / step) + 1)
  return Array.from({ length: count }, (_, n) => first + n * step)
    .map((atMs) => ({ atMs, at: (atMs - fromMs) / length }))
    .filter(({ at }) => at >= MARGIN && at <= 1 - MARGIN)
}
