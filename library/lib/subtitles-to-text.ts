import { type Cue, parseCues } from './subtitle-cues.ts'

/** Cues this close belong to one roll of captions, in which lines are repeated as they move up. */
const ROLLING_GAP_MS = 100
/** A silence this long starts a new paragraph. */
const PARAGRAPH_GAP_MS = 4_000
/** A paragraph this long ends at the next full sentence, or at twice the length in any case. */
const PARAGRAPH_CHARS = 700
const SOUND = /^(?:[[(][^\])]*[\])]|[♪♫#\s]+)$/
const SPEAKER = /^(?:>>+|--?)\s*/

/** Readable text from a WebVTT or SRT file: paragraphs without times, markup and repetitions. */
export const subtitlesToText = (file: string): string => {
  const paragraphs: string[] = []
  let current = ''
  let lastEndMs = 0
  const close = () => {
    if (current !== '') paragraphs.push(current)
    current = ''
  }
  for (const { startMs, endMs, lines } of withoutRepeats(parseCues(file))) {
    if (startMs - lastEndMs >= PARAGRAPH_GAP_MS) close()
    for (const line of lines) {
      if (SPEAKER.test(line) || isLongEnough(current)) close()
      const words = line.replace(SPEAKER, '')
      current = current === '' ? words : `${current} ${words}`
    }
    lastEndMs = Math.max(lastEndMs, endMs)
  }
  close()
  return paragraphs.join('\n\n')
}

const isLongEnough = (paragraph: string): boolean =>
  (paragraph.length >= PARAGRAPH_CHARS && /[.!?…]["'”’)]?$/.test(paragraph)) ||
  paragraph.length >= PARAGRAPH_CHARS * 2

/** Automatic captions repeat the previous line in every cue, so only the added lines are kept. */
const withoutRepeats = (cues: readonly Cue[]): Cue[] => {
  let shown: string[] = []
  let shownUntilMs = Number.NEGATIVE_INFINITY
  return cues.map((cue) => {
    const lines = cue.lines.filter((line) => !SOUND.test(line))
    const rolls = cue.startMs - shownUntilMs <= ROLLING_GAP_MS
    const repeated = rolls ? countRepeated(shown, lines) : 0
    const added = lines.slice(repeated)
    if (lines.length > 0 || !rolls) shown = lines
    shownUntilMs = Math.max(shownUntilMs, cue.endMs)
    return { ...cue, lines: added }
  })
}

/** How many lines at the start of `lines` repeat the end of `shown`. */
const countRepeated = (shown: readonly string[], lines: readonly string[]): number => {
  for (let count = Math.min(shown.length, lines.length); count > 0; count--) {
    const tail = shown.slice(-count)
    if (tail.every((line, index) => line === lines[index])) return count
  }
  return 0
}
