export type RunOnce = () => Promise<unknown>

export interface Measure {
  runsPerSecond: number
  p50Us: number
}

/** Of a round after its warm-up. */
export interface Round extends Measure {
  /** Before V8 has optimised anything. */
  firstSecond: number
}

/**
 * A daemon runs all day, and V8 optimises its code over tens of thousands of runs: each variant is
 * repeated until its rate no longer grows by this factor in three windows.
 */
const STEADY_GROWTH = 1.03
const STEADY_WINDOWS = 3
const WARM_UP_WINDOW_MS = 1000
const LONGEST_WARM_UP_MS = 40_000
const ROUND_MS = 1000

/** A round in this process, after a warm-up. */
export const measureHere = async (run: RunOnce, atATime: number): Promise<Round> => {
  const firstSecond = await warmUp(run, atATime)
  return { ...(await repeat(run, atATime, ROUND_MS)), firstSecond }
}

/** Returns the rate of the first second. */
const warmUp = async (run: RunOnce, atATime: number): Promise<number> => {
  const endsAt = performance.now() + LONGEST_WARM_UP_MS
  const first = (await repeat(run, atATime, WARM_UP_WINDOW_MS)).runsPerSecond
  let best = first
  let steady = 0
  while (steady < STEADY_WINDOWS && performance.now() < endsAt) {
    const { runsPerSecond } = await repeat(run, atATime, WARM_UP_WINDOW_MS)
    steady = runsPerSecond > best * STEADY_GROWTH ? 0 : steady + 1
    best = Math.max(best, runsPerSecond)
  }
  return first
}

const repeat = async (run: RunOnce, atATime: number, forMs: number): Promise<Measure> => {
  const latencies: number[] = []
  const startedAt = performance.now()
  const worker = async (): Promise<void> => {
    let at = performance.now()
    while (at - startedAt < forMs) {
      await run()
      const now = performance.now()
      latencies.push(now - at)
      at = now
    }
  }
  await Promise.all(Array.from({ length: atATime }, worker))
  const seconds = (performance.now() - startedAt) / 1000
  latencies.sort((a, b) => a - b)
  return {
    runsPerSecond: latencies.length / seconds,
    p50Us: (latencies[Math.floor(latencies.length / 2)] ?? 0) * 1000,
  }
}
