/** One part of a pattern with wildcards. `but` is a character that the wildcard excludes. */
export type Wildcard =
  | { kind: 'char'; char: string }
  | { kind: 'one'; but?: string }
  | { kind: 'many'; but?: string }
  /** The next parts may be left out, as many as `parts` says. */
  | { kind: 'optional'; parts: number }

interface WildcardOptions {
  /** Where a match starts: at the start of the text, or anywhere. */
  starts?: 'at the start' | 'anywhere'
  /** Which start to report if several matches end at the same place. */
  keeps?: 'earliest' | 'latest'
  /** Counts the steps, so that a test can limit them. */
  work?: { steps: number }
}

const NONE = -1

/**
 * For each position of a text, the start of a match that ends there, or -1. All parts of the pattern
 * advance together, so that the time grows with parts × characters and never with a power of them,
 * as it would in a regular expression with several `.*`.
 */
export const findWildcardEnds = (
  pattern: readonly Wildcard[],
  text: string,
  { starts = 'at the start', keeps = 'earliest', work = { steps: 0 } }: WildcardOptions = {},
): Int32Array => {
  const ends = new Int32Array(text.length + 1).fill(NONE)
  let states = new Int32Array(pattern.length + 1).fill(NONE)
  let next = new Int32Array(pattern.length + 1).fill(NONE)
  const choose = keeps === 'earliest' ? Math.min : Math.max
  const reach = (to: Int32Array, index: number, start: number): void => {
    const present = to[index] ?? NONE
    to[index] = present === NONE ? start : choose(present, start)
  }
  for (let at = 0; at <= text.length; at += 1) {
    if (at === 0 || starts === 'anywhere') reach(states, 0, at)
    const char = text.charAt(at)
    let isAlive = false
    for (let index = 0; index < pattern.length; index += 1) {
      work.steps += 1
      const part = pattern[index]
      const start = states[index] ?? NONE
      if (part === undefined || start === NONE) continue
      isAlive = true
      if (part.kind === 'many') reach(states, index + 1, start)
      if (part.kind === 'optional') {
        reach(states, index + 1, start)
        reach(states, index + 1 + part.parts, start)
      } else if (char !== '' && (part.kind === 'char' ? part.char === char : part.but !== char)) {
        reach(next, part.kind === 'many' ? index : index + 1, start)
      }
    }
    ends[at] = states[pattern.length] ?? NONE
    if (!isAlive && starts === 'at the start') break
    ;[states, next] = [next, states.fill(NONE)]
  }
  return ends
}

/** Returns whether a pattern matches the whole text. */
export const matchesWildcards = (
  pattern: readonly Wildcard[],
  text: string,
  work?: { steps: number },
): boolean => findWildcardEnds(pattern, text, work === undefined ? {} : { work })[text.length] === 0

/** The parts of a pattern in which `many` stands for any text and `one` for any character. */
export const parseWildcards = (text: string, many = '*', one = '?'): Wildcard[] =>
  text.split('').flatMap((char, index): Wildcard[] => {
    if (char === many) return text[index - 1] === many ? [] : [{ kind: 'many' }]
    return [char === one ? { kind: 'one' } : { kind: 'char', char }]
  })
