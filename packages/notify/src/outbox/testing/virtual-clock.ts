interface Timer {
  at: number
  action: () => void
}

/** A clock that the test advances. */
export const createVirtualClock = (start = Date.parse('2026-11-15T08:00:00Z')) => {
  const timers = new Set<Timer>()
  let moment = start
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    now: () => moment,
    setTimer: (delayMs: number, action: () => void) => {
      const timer = { at: moment + delayMs, action }
      timers.add(timer)
      return () => {
        timers.delete(timer)
      }
    },
    /** Advances time: every timer fires at its time, and its work runs. */
    advance: async (durationMs: number) => {
      const end = moment + durationMs
      for (;;) {
        await settle()
        const next = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers.delete(next)
        moment = Math.max(moment, next.at)
        next.action()
      }
      moment = end
    },
    set: (value: number) => {
      moment = value
    },
  }
}
