import { isUnresolved, MARK, showMarked } from '../marks.ts'
import { programsNamed, runProgram } from '../programs/index.ts'
import type { ShellFunction, ShellState } from '../shell-state.ts'
import type { Command } from '../syntax.ts'
import { unitOfCall } from '../units.ts'
import { MAX_COMMANDS, type Walker } from './walker.ts'

/** Runs one program; `isInner` if another program runs it. */
export const runCall = (
  walker: Walker,
  argv: readonly string[],
  stdin: string,
  state: ShellState,
  isInner: boolean,
): string => {
  const [program = '', ...args] = argv
  const outer = walker.log.unit
  if (isInner) {
    walker.commands += 1
    if (walker.commands > MAX_COMMANDS) return MARK.unknown
    walker.log.addUnit(unitOfCall(argv))
  }
  if (isUnresolved(program)) {
    walker.log.emit({
      kind: 'unresolved',
      what: `which program runs is known only when it runs (${showMarked(program)})`,
    })
  }
  const name = program.split('/').at(-1) ?? program
  const named = programsNamed(name)
  if (named.length > 0) {
    const outputs = named.map((each) => runCall(walker, [each, ...args], stdin, state, isInner))
    walker.log.unit = outer
    return outputs.join('\n')
  }
  const found = state.functions.get(program)
  if (found !== undefined) {
    const output = callFunction(walker, program, found, args, stdin, state)
    walker.log.unit = outer
    return output
  }
  walker.log.emit({ kind: 'run', program: name, argv: [...argv] })
  const content = program.includes('/') ? walker.files.contentOf(program, state) : undefined
  const output =
    content === undefined
      ? runProgram({ name, args, stdin, state, shell: walker.shellFor(state) })
      : runProgram({
          name: 'bash',
          args: [program, ...args],
          stdin,
          state,
          shell: walker.shellFor(state),
        })
  walker.log.unit = outer
  return output
}

const callFunction = (
  walker: Walker,
  name: string,
  { body, script }: ShellFunction,
  args: readonly string[],
  stdin: string,
  state: ShellState,
): string => {
  if (walker.running.has(name)) {
    walker.log.emit({
      kind: 'hazard',
      rule: 'builtin:fork-bomb',
      verdict: walker.isForking ? 'deny' : 'alert',
      reason: `the function ${name} calls itself`,
    })
    return MARK.unknown
  }
  walker.running.add(name)
  const before = state.parameters
  state.parameters = [...args]
  const wasForking = walker.isForking
  walker.isForking = walker.isForking || forks(body)
  const output = walker.walk(body, stdin, state, script)
  walker.isForking = wasForking
  state.parameters = before
  walker.running.delete(name)
  return output
}

const forks = (command: Command): boolean => {
  if (command.kind === 'pipeline') return true
  if (command.kind !== 'block') return false
  return command.body.items.some((item) => item.connector === '&' || forks(item.command))
}
