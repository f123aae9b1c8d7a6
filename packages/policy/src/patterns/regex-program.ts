import { RegexError, type RegexNode } from './parse-regex.ts'

type Instruction =
  | { kind: 'char'; test: (char: string) => boolean }
  | { kind: 'split'; to: number[] }
  | { kind: 'assert'; what: '^' | '$' | 'b' | 'B' }
  | { kind: 'ahead'; program: Program; negative: boolean }
  | { kind: 'match' }

export type Program = readonly Instruction[]

const MAX_INSTRUCTIONS = 5000

/** The program for a pattern, and the number of instructions including those of its lookaheads. */
export const compileProgram = (tree: RegexNode): { program: Program; size: number } => {
  // A repeated lookahead is compiled once, because its answer depends on the position only.
  const programs = new Map<RegexNode, Program>()
  const compileWhole = (node: RegexNode): Program => {
    const known = programs.get(node)
    if (known !== undefined) return known
    const program: Instruction[] = []
    compile(node, program, compileWhole)
    program.push({ kind: 'match' })
    programs.set(node, program)
    return program
  }
  const program = compileWhole(simplify(tree).node)
  return { program, size: programs.values().reduce((sum, { length }) => sum + length, 0) }
}

interface Simple {
  node: RegexNode
  /** Whether a match can contain a character. */
  consumes: boolean
}

const EMPTY: Simple = { node: { kind: 'empty' }, consumes: false }

/**
 * Removes repetitions of what matches no character. They change nothing, but copies of copies of
 * nothing would take exponential time without ever reaching the limit of instructions.
 */
const simplify = (node: RegexNode): Simple => {
  switch (node.kind) {
    case 'empty':
    case 'assert':
      return { node, consumes: false }
    case 'char':
      return { node, consumes: true }
    case 'ahead':
      return { node: { ...node, item: simplify(node.item).node }, consumes: false }
    case 'repeat': {
      const item = simplify(node.item)
      if (node.max === 0) return EMPTY
      if (item.consumes) return { node: { ...node, item: item.node }, consumes: true }
      return node.min === 0 ? EMPTY : item
    }
    case 'choice': {
      const items = node.items.map(simplify)
      return { node: { ...node, items: items.map(nodeOf) }, consumes: items.some(consumes) }
    }
    case 'sequence': {
      const items = node.items.map(simplify).filter(({ node: { kind } }) => kind !== 'empty')
      const [first = EMPTY] = items
      if (items.length < 2) return first
      return { node: { ...node, items: items.map(nodeOf) }, consumes: items.some(consumes) }
    }
  }
}

const nodeOf = ({ node }: Simple): RegexNode => node
const consumes = (item: Simple): boolean => item.consumes

type CompileWhole = (node: RegexNode) => Program

const compile = (node: RegexNode, program: Instruction[], whole: CompileWhole): void => {
  if (program.length > MAX_INSTRUCTIONS) throw new RegexError('is too large')
  switch (node.kind) {
    case 'empty':
      return
    case 'char':
    case 'assert':
      program.push(node)
      return
    case 'sequence':
      for (const item of node.items) compile(item, program, whole)
      return
    case 'ahead':
      program.push({ kind: 'ahead', program: whole(node.item), negative: node.negative })
      return
    case 'choice': {
      const split = { kind: 'split' as const, to: [] as number[] }
      program.push(split)
      const ends: { to: number[] }[] = []
      for (const item of node.items) {
        split.to.push(program.length)
        compile(item, program, whole)
        const end = { kind: 'split' as const, to: [] as number[] }
        program.push(end)
        ends.push(end)
      }
      for (const end of ends) end.to.push(program.length)
      return
    }
    case 'repeat':
      compileRepeat(node, program, whole)
  }
}

const compileRepeat = (
  { item, min, max }: Extract<RegexNode, { kind: 'repeat' }>,
  program: Instruction[],
  whole: CompileWhole,
): void => {
  let last = program.length
  for (let n = 0; n < min; n += 1) {
    last = program.length
    compile(item, program, whole)
  }
  if (max === Number.POSITIVE_INFINITY && min > 0) {
    program.push({ kind: 'split', to: [last, program.length + 1] })
    return
  }
  if (max === Number.POSITIVE_INFINITY) {
    const split = { kind: 'split' as const, to: [program.length + 1] }
    program.push(split)
    compile(item, program, whole)
    program.push({ kind: 'split', to: [last] })
    split.to.push(program.length)
    return
  }
  const splits: { to: number[] }[] = []
  for (let n = min; n < max; n += 1) {
    const split = { kind: 'split' as const, to: [program.length + 1] }
    program.push(split)
    splits.push(split)
    compile(item, program, whole)
  }
  for (const split of splits) split.to.push(program.length)
}
