import { createLookAhead, holds, type LookAhead, type Work } from './look-ahead.ts'
import type { RegexNode } from './parse-regex.ts'
import { compileProgram, type Program } from './regex-program.ts'

/** A part of the text that is data or is judged separately. */
export interface Range {
  start: number
  end: number
}

const MAX_TEXT_CHARS = 20_000
/** The largest pattern without lookaheads on the longest text; lookaheads share this. */
const MAX_WORK = 100_000_000

/**
 * Searches in time linear in the text: all states of the pattern advance together, so that no
 * pattern can cause backtracking. A match inside one of the `inert` ranges does not count.
 */
export const createMatcher = (
  tree: RegexNode,
  work: Work = { steps: 0 },
): ((text: string, inert?: readonly Range[]) => boolean) => {
  const { program, size } = compileProgram(tree)
  const anchored = isAnchored(program)
  const maxChars = Math.min(MAX_TEXT_CHARS, Math.floor(MAX_WORK / size))
  return (text, inert = []) => search(program, anchored, text.slice(0, maxChars), inert, work)
}

/** A state becomes free when its match can no longer lie within a single inert range. */
const HELD = 1
const FREE = 2

const search = (
  program: Program,
  anchored: boolean,
  text: string,
  inert: readonly Range[],
  work: Work,
): boolean => {
  const held = markRanges(text.length, inert)
  const marked = new Uint8Array(program.length)
  let modes = new Uint8Array(program.length)
  let next = new Uint8Array(program.length)
  let seeds: number[] = []
  const place = { program, text, at: 0, look: createLookAhead(text, work), work }
  for (let at = 0; at <= text.length; at += 1) {
    place.at = at
    const isHeld = held[at] === 1
    const active: number[] = []
    for (const pc of seeds) {
      if (follow(place, pc, modes[pc] ?? 0, marked, active)) return true
      modes[pc] = 0
    }
    if (at === 0 || !anchored) {
      if (follow(place, 0, isHeld ? HELD : FREE, marked, active)) return true
    }
    if (active.length === 0 && anchored) return false
    const char = text[at]
    if (char === undefined) return false
    seeds = []
    for (const pc of active) {
      work.steps += 1
      const instruction = program[pc]
      // A match that began inside a range leaves it with the first character outside.
      const reached = isHeld ? (marked[pc] ?? 0) : FREE
      marked[pc] = 0
      if (instruction?.kind !== 'char' || !instruction.test(char)) continue
      if (next[pc + 1] === 0) seeds.push(pc + 1)
      next[pc + 1] = Math.max(next[pc + 1] ?? 0, reached)
    }
    ;[modes, next] = [next, modes]
  }
  return false
}

/** Marks each character that lies in one of the ranges. */
const markRanges = (length: number, ranges: readonly Range[]): Uint8Array => {
  const marks = new Uint8Array(length + 1)
  let done = 0
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    marks.fill(1, Math.max(start, done), Math.max(end, done))
    done = Math.max(done, end)
  }
  return marks
}

/** Returns whether every match must begin at the start of the text. */
const isAnchored = (program: Program): boolean => {
  const seen = new Set<number>()
  const waiting = [0]
  for (let pc = waiting.pop(); pc !== undefined; pc = waiting.pop()) {
    if (seen.has(pc)) continue
    seen.add(pc)
    const instruction = program[pc]
    if (instruction?.kind === 'split') waiting.push(...instruction.to)
    else if (instruction?.kind !== 'assert' || instruction.what !== '^') return false
  }
  return true
}

interface Place {
  program: Program
  text: string
  at: number
  look: LookAhead
  work: Work
}

/**
 * Follows instructions that consume no character; returns true if a match that counts is complete.
 */
const follow = (
  place: Place,
  from: number,
  mode: number,
  marked: Uint8Array,
  active: number[],
): boolean => {
  const { program, text, at, look, work } = place
  const waiting: number[] = []
  for (let pc: number | undefined = from; pc !== undefined; pc = waiting.pop()) {
    work.steps += 1
    if ((marked[pc] ?? 0) >= mode) continue
    if (marked[pc] === 0) active.push(pc)
    marked[pc] = mode
    const instruction = program[pc]
    if (instruction === undefined) continue
    if (instruction.kind === 'match' && mode === FREE) return true
    if (instruction.kind === 'split') for (const to of instruction.to) waiting.push(to)
    if (instruction.kind === 'assert' && holds(text, at, instruction.what)) waiting.push(pc + 1)
    if (instruction.kind === 'ahead' && look(instruction.program, at) !== instruction.negative)
      waiting.push(pc + 1)
  }
  return false
}
