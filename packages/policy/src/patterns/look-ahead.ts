import type { Program } from './regex-program.ts'

/** What has been done so far, so that a test can limit it. */
export interface Work {
  steps: number
}

/** Answers whether a lookahead matches at a position of one text. */
export type LookAhead = (program: Program, at: number) => boolean

/**
 * Evaluates lookaheads from the end of the text to its start: all positions from which a match is
 * possible are found in a single pass, so that no position scans the rest of the text again.
 */
export const createLookAhead = (text: string, work: Work): LookAhead => {
  const answers = new Map<Program, Uint8Array>()
  const look: LookAhead = (program, at) => {
    let found = answers.get(program)
    if (found === undefined) {
      found = findStarts(program, text, look, work)
      answers.set(program, found)
    }
    return found[at] === 1
  }
  return look
}

/** Marks each position at which a match of the program starts. */
const findStarts = (program: Program, text: string, look: LookAhead, work: Work): Uint8Array => {
  const starts = new Uint8Array(text.length + 1)
  const sources = findSources(program)
  const marked = new Uint8Array(program.length)
  let later: number[] = []
  for (let at = text.length; at >= 0; at -= 1) {
    const waiting = [program.length - 1]
    const char = text[at]
    for (const pc of later) {
      work.steps += 1
      const instruction = program[pc - 1]
      if (char !== undefined && instruction?.kind === 'char' && instruction.test(char))
        waiting.push(pc - 1)
    }
    later = []
    for (let pc = waiting.pop(); pc !== undefined; pc = waiting.pop()) {
      work.steps += 1
      if (marked[pc] === 1) continue
      marked[pc] = 1
      later.push(pc)
      for (const source of sources[pc] ?? []) {
        work.steps += 1
        const instruction = program[source]
        if (instruction?.kind === 'assert' && !holds(text, at, instruction.what)) continue
        if (instruction?.kind === 'ahead' && look(instruction.program, at) === instruction.negative)
          continue
        waiting.push(source)
      }
    }
    starts[at] = marked[0] ?? 0
    for (const pc of later) marked[pc] = 0
  }
  return starts
}

/** For each instruction, those that lead to it without consuming a character. */
const findSources = (program: Program): number[][] => {
  const sources: number[][] = program.map(() => [])
  program.forEach((instruction, pc) => {
    if (instruction.kind === 'split') for (const to of instruction.to) sources[to]?.push(pc)
    if (instruction.kind === 'assert' || instruction.kind === 'ahead') sources[pc + 1]?.push(pc)
  })
  return sources
}

const WORD = /\w/

/** Returns whether an assertion is true at a position. */
export const holds = (text: string, at: number, what: '^' | '$' | 'b' | 'B'): boolean => {
  if (what === '^') return at === 0
  if (what === '$') return at === text.length
  const isWord = (char: string | undefined) => char !== undefined && WORD.test(char)
  const isEdge = isWord(text[at - 1]) !== isWord(text[at])
  return what === 'b' ? isEdge : !isEdge
}
