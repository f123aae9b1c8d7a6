import { decodeEntities } from './entities.ts'

/** One subtitle: its time, and its lines without markup. */
export interface Cue {
  startMs: number
  endMs: number
  lines: string[]
}

const STAMP = String.raw`(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`
const TIMING = new RegExp(String.raw`^\s*${STAMP}\s*-->\s*${STAMP}`)

/** Parses the cues of a WebVTT or SRT file; other lines are skipped. */
export const parseCues = (file: string): Cue[] => {
  const cues: Cue[] = []
  let open: Cue | undefined
  // A line directly above a timing is its number or name, so text is held back for one line.
  let waiting: string | undefined
  const settle = () => {
    const line = waiting === undefined ? '' : cleanLine(waiting)
    if (line !== '') open?.lines.push(line)
    waiting = undefined
  }
  for (const line of file.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const timing = TIMING.exec(line)
    if (timing !== null) {
      waiting = undefined
      open = { startMs: stampMs(timing, 1), endMs: stampMs(timing, 5), lines: [] }
      cues.push(open)
      continue
    }
    settle()
    // An empty line ends a cue; files of the caption service also contain lines with a single
    // blank.
    if (line === '') open = undefined
    else waiting = line
  }
  settle()
  return cues
}

const stampMs = (match: RegExpExecArray, at: number): number => {
  const [hours, minutes, seconds] = [at, at + 1, at + 2].map((index) => Number(match[index] ?? 0))
  const milliseconds = Number((match[at + 3] ?? '0').padEnd(3, '0'))
  return (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000 + milliseconds
}

const cleanLine = (line: string): string =>
  decodeEntities(withoutEnclosed(withoutEnclosed(line, '<', '>'), '{\\', '}'))
    .replace(/\s+/g, ' ')
    .trim()

/** Stops at the first opening that nothing closes, because then nothing closes later ones either. */
const withoutEnclosed = (text: string, open: string, close: string): string => {
  const kept: string[] = []
  let from = 0
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start + open.length)
    if (end === -1) break
    kept.push(text.slice(from, start))
    from = end + close.length
  }
  return kept.join('') + text.slice(from)
}
