/** What replaces a secret that was recognised by its form. Known values get a mask with their name. */
export const MASK = '[redacted]'
/** How every mask begins; what begins so is masked already. */
export const MASK_START = '[redacted'

/**
 * The pattern where a word begins: after none of its characters, or after an escape (a line break in
 * JSON, a percent sign in an address, a colour of a terminal).
 */
export const atWordStart = (body: RegExp, flags = 'g', inWord = '[\\w~.-]'): RegExp =>
  new RegExp(
    `(?:(?<!${inWord})|(?<=\\\\[nrtbf]|[[;][0-9]{1,2}m|%[0-9A-Fa-f]{2}))(?:${body.source})`,
    flags,
  )

/** A set of ASCII characters. */
export interface CharSet {
  /** Whether the character of this code is in it. */
  has: (code: number) => boolean
}

/** The table is made when it is first looked into: most texts need few of the sets. */
export const charSet = (pattern: RegExp): CharSet => {
  let table: Uint8Array | undefined
  return {
    has: (code) => {
      table ??= tableOf(pattern)
      return table[code] === 1
    },
  }
}

const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))

/**
 * One text on its way through all the rules. Rules look at characters through it, so that a test can
 * count the looks: their number must grow with the length of the text and no faster.
 */
export interface SecretScan {
  readonly text: string
  /** Marks `[start, end)` as secret. */
  hide: (start: number, end: number) => void
  /** The end of the run of `set` that begins at `from`, at most `limit` characters further on. */
  runEnd: (from: number, set: CharSet, limit?: number) => number
  /** The start of the run of `set` that ends before `to`, at most `limit` characters further back. */
  runStart: (to: number, set: CharSet, limit: number) => number
  /** The first character of `set` at or after `from`; the end of the text when there is none. */
  find: (from: number, set: CharSet, limit?: number) => number
  /** Counts a look that is not one of the above. */
  look: (characters: number) => void
}

export interface FinishedScan extends SecretScan {
  masked: () => string
  looks: () => number
}

export const createScan = (text: string): FinishedScan => {
  const spans: Array<[start: number, end: number]> = []
  let looks = 0
  const isIn = (at: number, set: CharSet): boolean => {
    looks += 1
    return set.has(text.charCodeAt(at))
  }
  return {
    text,
    hide: (start, end) => {
      if (end > start) spans.push([start, end])
    },
    runEnd: (from, set, limit = text.length) => {
      const last = Math.min(text.length, from + limit)
      let at = from
      while (at < last && isIn(at, set)) at += 1
      return at
    },
    runStart: (to, set, limit) => {
      const first = Math.max(0, to - limit)
      let at = to
      while (at > first && isIn(at - 1, set)) at -= 1
      return at
    },
    find: (from, set, limit = text.length) => {
      const last = Math.min(text.length, from + limit)
      let at = from
      while (at < last && !isIn(at, set)) at += 1
      return at
    },
    look: (characters) => {
      looks += characters
    },
    looks: () => looks,
    masked: () => (spans.length === 0 ? text : maskSpans(text, spans)),
  }
}

/** Spans that overlap or touch become one mask. */
const maskSpans = (text: string, spans: Array<[number, number]>): string => {
  spans.sort(([a], [b]) => a - b)
  const parts: string[] = []
  let done = 0
  let masked = -1
  for (const [start, end] of spans) {
    if (start > done || masked < 0) parts.push(text.slice(done, start), MASK)
    done = Math.max(done, end)
    masked = done
  }
  return parts.join('') + text.slice(done)
}
