import { RegexError, type RegexNode } from './parse-regex.ts'

/** A part of the text that is data or is judged separately. */
export interface Range {
  start: number
  end: number
}

type Instruction =
  | { kind: 'char'; test: (char: string) => boolean }
  | { kind: 'split'; to: number[] }
  | { kind: 'assert'; what: '^' | '$' | 'b' | 'B' }
  | { kind: 'ahead'; program: Instruction[]; negative: boolean }
  | { kind: 'match' }

const MAX_INSTRUCTIONS = 5000
/** Text beyond this is not searched, because a lookahead may scan all of it from every position. */
const MAX_TEXT_CHARS = 20_000

/**
 * Searches in time linear in the text: all states of the pattern advance together, so that no
 * pattern can cause backtracking. A match inside one of the `inert` ranges does not count.
 */
export const createMatcher = (
  tree: RegexNode,
): ((text: string, inert?: readonly Range[]) => boolean) => {
  const program: Instruction[] = []
  compile(tree, program)
  program.push({ kind: 'match' })
  const anchored = isAnchored(program)
  return (text, inert = []) => search(program, anchored, text.slice(0, MAX_TEXT_CHARS), inert)
}

const compile = (node: RegexNode, program: Instruction[]): void => {
  if (program.length > MAX_INSTRUCTIONS) throw new RegexError('is too large')
  switch (node.kind) {
    case 'empty':
      return
    case 'char':
    case 'assert':
      program.push(node)
      return
    case 'sequence':
      for (const item of node.items) compile(item, program)
      return
    case 'ahead': {
      const inner: Instruction[] = []
      compile(node.item, inner)
      inner.push({ kind: 'match' })
      program.push({ kind: 'ahead', program: inner, negative: node.negative })
      return
    }
    case 'choice': {
      const split = { kind: 'split' as const, to: [] as number[] }
      program.push(split)
      const ends: { to: number[] }[] = []
      for (const item of node.items) {
        split.to.push(program.length)
        compile(item, program)
        const end = { kind: 'split' as const, to: [] as number[] }
        program.push(end)
        ends.push(end)
      }
      for (const end of ends) end.to.push(program.length)
      return
    }
    case 'repeat':
      compileRepeat(node, program)
  }
}

const compileRepeat = (
  node: Extract<RegexNode, { kind: 'repeat' }>,
  program: Instruction[],
): void => {
  for (let n = 0; n < node.min; n += 1) compile(node.item, program)
  if (node.max === Number.POSITIVE_INFINITY) {
    const split = { kind: 'split' as const, to: [program.length + 1] }
    const start = program.length
    program.push(split)
    compile(node.item, program)
    program.push({ kind: 'split', to: [start] })
    split.to.push(program.length)
    return
  }
  const splits: { to: number[] }[] = []
  for (let n = node.min; n < node.max; n += 1) {
    const split = { kind: 'split' as const, to: [program.length + 1] }
    program.push(split)
    splits.push(split)
    compile(node.item, program)
  }
  for (const split of splits) split.to.push(program.length)
}

/** A state becomes free when its match can no longer lie within a single inert range. */
const HELD = 1
const FREE = 2

const search = (
  program: readonly Instruction[],
  anchored: boolean,
  text: string,
  inert: readonly Range[],
): boolean => {
  let modes = new Uint8Array(program.length)
  let next = new Uint8Array(program.length)
  const marked = new Uint8Array(program.length)
  let seeds: number[] = []
  for (let at = 0; at <= text.length; at += 1) {
    const place = { program, text, at }
    const isHeld = inert.some(({ start, end }) => at >= start && at < end)
    const active: number[] = []
    marked.fill(0)
    for (const pc of seeds) {
      if (follow(place, pc, modes[pc] ?? 0, marked, active)) return true
    }
    if (at === 0 || !anchored) {
      if (follow(place, 0, isHeld ? HELD : FREE, marked, active)) return true
    }
    if (active.length === 0 && anchored) return false
    const char = text[at]
    if (char === undefined) return false
    next.fill(0)
    seeds = []
    for (const pc of active) {
      const instruction = program[pc]
      if (instruction?.kind !== 'char' || !instruction.test(char)) continue
      if (next[pc + 1] === 0) seeds.push(pc + 1)
      // A match that began inside a range leaves it with the first character outside.
      const reached = isHeld ? (marked[pc] ?? 0) : FREE
      next[pc + 1] = Math.max(next[pc + 1] ?? 0, reached)
    }
    ;[modes, next] = [next, modes]
  }
  return false
}

/** Returns whether every match must begin at the start of the text. */
const isAnchored = (program: readonly Instruction[]): boolean => {
  const active: number[] = []
  const isEmpty = follow(
    { program, text: 'x-x', at: 1 },
    0,
    FREE,
    new Uint8Array(program.length),
    active,
  )
  const isOpen = (pc: number) => ['char', 'ahead', 'assert'].includes(program[pc]?.kind ?? '')
  return !isEmpty && !active.some((pc) => isOpen(pc) && !isStart(program[pc]))
}

const isStart = (instruction: Instruction | undefined): boolean =>
  instruction?.kind === 'assert' && instruction.what === '^'

interface Place {
  program: readonly Instruction[]
  text: string
  at: number
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
  const waiting = [from]
  for (let pc = waiting.pop(); pc !== undefined; pc = waiting.pop()) {
    if ((marked[pc] ?? 0) >= mode) continue
    if (marked[pc] === 0) active.push(pc)
    marked[pc] = mode
    const instruction = place.program[pc]
    if (instruction === undefined) continue
    if (instruction.kind === 'match' && mode === FREE) return true
    if (instruction.kind === 'split') waiting.push(...instruction.to)
    if (instruction.kind === 'assert' && holds(place, instruction.what)) waiting.push(pc + 1)
    if (instruction.kind === 'ahead' && looksAhead(place, instruction)) waiting.push(pc + 1)
  }
  return false
}

const holds = ({ text, at }: Place, what: '^' | '$' | 'b' | 'B'): boolean => {
  if (what === '^') return at === 0
  if (what === '$') return at === text.length
  const isWord = (char: string | undefined) => char !== undefined && /\w/.test(char)
  const isEdge = isWord(text[at - 1]) !== isWord(text[at])
  return what === 'b' ? isEdge : !isEdge
}

const looksAhead = (
  { text, at }: Place,
  { program, negative }: Extract<Instruction, { kind: 'ahead' }>,
): boolean => {
  let seeds = [0]
  for (let here = at; here <= text.length && seeds.length > 0; here += 1) {
    const current = new Uint8Array(program.length)
    for (const pc of seeds) {
      if (follow({ program, text, at: here }, pc, FREE, current, [])) return !negative
    }
    const char = text[here]
    seeds = []
    for (let pc = 0; pc < program.length && char !== undefined; pc += 1) {
      const instruction = program[pc]
      if (current[pc] && instruction?.kind === 'char' && instruction.test(char)) seeds.push(pc + 1)
    }
  }
  return negative
}
