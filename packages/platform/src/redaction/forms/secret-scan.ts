import { createPartFinder, type Parts } from './held-parts.ts'

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

/**
 * A pattern for the few texts that hold one of its parts. Looking for plain strings costs next to
 * nothing; to compile a pattern costs a short-lived program more than all the rest.
 */
export interface GuardedPattern {
  parts: Parts
  pattern: () => RegExp
  /** There must be a run of letters and digits as long as in a token too. */
  needsLongRun?: true
}

export const findGuarded = (
  scan: SecretScan,
  patterns: readonly GuardedPattern[],
): RegExpExecArray[] => {
  const found: RegExpExecArray[] = []
  for (const { parts, pattern, needsLongRun } of patterns) {
    if (!scan.holds(parts)) continue
    if (needsLongRun === true && !scan.hasLongRun()) continue
    for (const hit of scan.text.matchAll(pattern())) found.push(hit)
  }
  return found
}

/** A set of ASCII characters. */
export interface CharSet {
  /** Whether the character of this code is in it. */
  has: (code: number) => boolean
  /** 1 at the codes of its characters. */
  table: () => Uint8Array
}

/** The table is made when it is first looked into: most texts need few of the sets. */
export const charSet = (pattern: RegExp): CharSet => {
  let made: Uint8Array | undefined
  const table = (): Uint8Array => {
    made ??= tableOf(pattern)
    return made
  }
  return { has: (code) => table()[code] === 1, table }
}

/** Reads the class itself: to ask the pattern about each character takes a hundred times as long. */
const tableOf = ({ source }: RegExp): Uint8Array => {
  const table = new Uint8Array(128)
  const add = (from: number, to: number): void => {
    table.fill(1, from, to + 1)
  }
  const single = source.length <= 2 ? source : source.slice(1, -1)
  for (let at = 0; at < single.length; at += 1) {
    const isEscape = single[at] === '\\'
    if (isEscape) at += 1
    const known = isEscape ? ESCAPES[single[at] ?? ''] : undefined
    if (known !== undefined) {
      for (const [from, to] of known) add(from, to)
      continue
    }
    const from = single.charCodeAt(at)
    const isRange = single[at + 1] === '-' && at + 2 < single.length
    if (isRange) at += 2
    add(from, single.charCodeAt(at))
  }
  return table
}

/** What the escapes of a class stand for, as codes. */
const ESCAPES: Readonly<Record<string, ReadonlyArray<readonly [number, number]>>> = {
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
  ],
  t: [[9, 9]],
  n: [[10, 10]],
  r: [[13, 13]],
}

/**
 * One text on its way through all the rules. Rules look at characters through it, so that a test can
 * count the looks: their number must grow with the length of the text and no faster.
 */
export interface SecretScan {
  readonly text: string
  /** The text in small letters, made when it is first asked for. */
  lower: () => string
  /** Whether the text holds one of the strings, in small or capital letters. */
  holds: (parts: Parts) => boolean
  /** Whether letters, digits and `_` follow each other as long as in a generated token. */
  hasLongRun: () => boolean
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
  let lower: string | undefined
  let hasLongRun: boolean | undefined
  const toLower = (): string => {
    lower ??= text.toLowerCase()
    return lower
  }
  return {
    text,
    lower: toLower,
    holds: createPartFinder(toLower),
    hasLongRun: () => {
      hasLongRun ??= LONG_RUN.test(text)
      return hasLongRun
    },
    hide: (start, end) => {
      if (end > start) spans.push([start, end])
    },
    runEnd: (from, set, limit = text.length) => {
      const last = Math.min(text.length, from + limit)
      const table = set.table()
      let at = from
      while (at < last && table[text.charCodeAt(at)] === 1) at += 1
      looks += at - from + 1
      return at
    },
    runStart: (to, set, limit) => {
      const first = Math.max(0, to - limit)
      const table = set.table()
      let at = to
      while (at > first && table[text.charCodeAt(at - 1)] === 1) at -= 1
      looks += to - at + 1
      return at
    },
    find: (from, set, limit = text.length) => {
      const last = Math.min(text.length, from + limit)
      const table = set.table()
      let at = from
      while (at < last && table[text.charCodeAt(at)] !== 1) at += 1
      looks += Math.max(0, at - from) + 1
      return at
    },
    look: (characters) => {
      looks += characters
    },
    looks: () => looks,
    masked: () => (spans.length === 0 ? text : maskSpans(text, spans)),
  }
}

const LONG_RUN = /\w{20}/

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
