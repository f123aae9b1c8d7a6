import type { Sink } from '../io.ts'
import { formatDuration } from './format.ts'

export interface Timers {
  every: (ms: number, tick: () => void) => () => void
}

export interface LiveLine {
  begin: (id: string, what: string) => void
  end: (id: string) => void
  /** A permanent line above the live one. */
  print: (line: string) => void
  close: () => void
}

const SHOW_AFTER_MS = 2000
const TICK_MS = 120
const FRAMES = ['|', '/', '-', '\\']
const CLEAR = `\r${String.fromCharCode(0x1b)}[K`

const systemTimers: Timers = {
  every: (ms, tick) => {
    const timer = setInterval(tick, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
}

/**
 * On a terminal, an animated line while something takes longer than two seconds; elsewhere nothing.
 */
export const createLiveLine = (
  sink: Sink,
  now: () => number,
  timers: Timers = systemTimers,
): LiveLine => {
  const current = new Map<string, { what: string; since: number }>()
  let stop: (() => void) | undefined
  let shown = false
  let frame = 0

  const clear = () => {
    if (shown) sink.write(CLEAR)
    shown = false
  }
  const draw = () => {
    const [oldest] = current.values()
    if (oldest === undefined || now() - oldest.since < SHOW_AFTER_MS) return
    const more = current.size > 1 ? ` and ${current.size - 1} more` : ''
    frame = (frame + 1) % FRAMES.length
    const text = `${FRAMES[frame]} ${oldest.what}${more} ${formatDuration(now() - oldest.since)}`
    sink.write(`${CLEAR}${sink.paint.dim(text.slice(0, Math.max(10, sink.columns - 1)))}`)
    shown = true
  }
  const close = () => {
    stop?.()
    stop = undefined
    clear()
    current.clear()
  }
  return {
    begin: (id, what) => {
      current.set(id, { what, since: now() })
      if (sink.isTerminal) stop ??= timers.every(TICK_MS, draw)
    },
    end: (id) => {
      current.delete(id)
      if (current.size === 0) clear()
    },
    print: (line) => {
      clear()
      sink.write(`${line}\n`)
    },
    close,
  }
}
