import type { RunStatus, StepRecord } from '@steward/contract'

/** A step as a bar between 0 and 1 of its run's duration. */
export interface StepBar {
  step: StepRecord
  /** Undefined if its process died, because its end is unknown. */
  durationMs: number | undefined
  from: number
  width: number
  /** Copied from the repeated run, so its time belongs to that run. */
  isInherited: boolean
}

export interface StepLayout {
  bars: StepBar[]
  lengthMs: number
  /** Axis times, from the start of the run. */
  ticks: number[]
}

const LEAST = 0.004

/** Steps on one axis, from the start of the run to its end, or to now while it is running. */
export const layOutSteps = (
  run: {
    status: RunStatus
    startedAt: string
    endedAt: string | null
    steps: readonly StepRecord[]
    rerunOf: { fromStep: number } | null
  },
  nowMs: number,
): StepLayout => {
  const startMs = Date.parse(run.startedAt)
  // The page's clock ticks once per second; times of a step may be newer.
  const known = run.steps.map(({ startedAt, endedAt }) => Date.parse(endedAt ?? startedAt))
  const reachedMs = Math.max(run.status === 'running' ? nowMs : startMs, ...known)
  const lastMs = run.endedAt === null ? reachedMs : Date.parse(run.endedAt)
  const lengthMs = Math.max(1, lastMs - startMs)
  const firstOwn = run.rerunOf?.fromStep ?? 1
  const bars = run.steps.map((step) => {
    const beginMs = Date.parse(step.startedAt)
    const endMs = step.endedAt === null ? lastMs : Date.parse(step.endedAt)
    const seenMs = step.durationMs ?? Math.max(0, endMs - beginMs)
    const from = clamp((beginMs - startMs) / lengthMs, 1 - LEAST)
    return {
      step,
      durationMs: step.status === 'interrupted' ? undefined : seenMs,
      from,
      width: Math.max(LEAST, Math.min(1 - from, seenMs / lengthMs)),
      isInherited:
        step.path === undefined
          ? step.step < firstOwn
          : run.rerunOf !== null && step.endedAt !== null && endMs < startMs,
    }
  })
  return { bars, lengthMs, ticks: chooseTimes(lengthMs) }
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value))

/** Round axis times for that length: one to four besides 0, so that labels fit. */
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000,
  300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
]

const chooseTimes = (lengthMs: number): number[] => {
  const step = STEPS_MS.find((each) => lengthMs / each <= 4) ?? lengthMs
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, n) => n * step)
}
