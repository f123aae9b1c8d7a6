/** Time of the local edge. Real time passes by itself, virtual time only when advanced. */
export interface Clock {
  now(): number
  /**
   * Calls back once at `timeMs`, or as soon as possible after it; the returned function cancels it.
   */
  at(timeMs: number, call: () => void): () => void
}

/** The longest delay of a system timer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: Date.now,
  at: (timeMs, call) => {
    let timer: NodeJS.Timeout | undefined
    const wait = () => {
      const leftMs = timeMs - Date.now()
      if (leftMs <= 0) return call()
      timer = setTimeout(wait, Math.min(leftMs, LONGEST_WAIT_MS))
    }
    timer = setTimeout(wait, Math.min(Math.max(0, timeMs - Date.now()), LONGEST_WAIT_MS))
    return () => clearTimeout(timer)
  },
}

export interface VirtualClock extends Clock {
  /**
   * Advances by `durationMs`, stopping at every awaited time. After each stop, `settle` is awaited,
   * so that the work started there ends before time continues.
   */
  advance(durationMs: number, settle: () => Promise<void>): Promise<void>
}

export const createVirtualClock = (startMs: number): VirtualClock => {
  let nowMs = startMs
  const waiting = new Set<{ timeMs: number; call: () => void }>()
  return {
    now: () => nowMs,
    at: (timeMs, call) => {
      const entry = { timeMs, call }
      waiting.add(entry)
      return () => waiting.delete(entry)
    },
    advance: async (durationMs, settle) => {
      const endMs = nowMs + durationMs
      await settle()
      for (;;) {
        const due = [...waiting].filter(({ timeMs }) => timeMs <= endMs)
        if (due.length === 0) break
        nowMs = Math.max(nowMs, Math.min(...due.map(({ timeMs }) => timeMs)))
        for (const entry of due.filter(({ timeMs }) => timeMs <= nowMs)) {
          if (waiting.delete(entry)) entry.call()
        }
        await settle()
      }
      nowMs = endMs
    },
  }
}
