import type { Sink } from '../io.ts'

export interface ProgressBar {
  show: (done: number, total: number) => void
  clear: () => void
}

const WIDTH = 24
const CLEAR = `\r${String.fromCharCode(0x1b)}[K`

/** On a terminal, a bar with counts that is drawn in place; elsewhere nothing. */
export const createProgressBar = (sink: Sink, label: string): ProgressBar => {
  let shown = ''
  return {
    show: (done, total) => {
      if (!sink.isTerminal || total <= 0) return
      const part = Math.min(1, done / total)
      const bar = '█'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '░')
      const line = `${label} ${bar} ${Math.floor(part * 100)}%`
      if (line === shown) return
      shown = line
      sink.write(`${CLEAR}${line.slice(0, Math.max(10, sink.columns - 1))}`)
    },
    clear: () => {
      if (shown !== '') sink.write(CLEAR)
      shown = ''
    },
  }
}
