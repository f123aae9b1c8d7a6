import { checkAssignment } from '../check-assignment.ts'
import { computes, expandText, expandWord } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import { copyState, type ShellState } from '../shell-state.ts'
import type { Assignment, Script, SimpleCommand } from '../syntax.ts'
import { textsOfSimple, unitOfCommand } from '../units.ts'
import { redirectInput, redirectOutput } from './redirects.ts'
import type { Walker } from './walker.ts'

/** One program with its words, assignments and redirections. */
export const walkSimple = (
  walker: Walker,
  command: SimpleCommand,
  stdin: string,
  state: ShellState,
  script: Script,
): string => {
  walker.log.addUnit(unitOfCommand(command, script))
  const own = walker.log.unit
  const isLasting = command.words.length === 0 || isDeclaration(command, script)
  const scope = isLasting ? state : copyState(state)
  for (const assignment of command.assignments) {
    assign(walker, assignment, scope)
    // `declare -i` and `local -n` compute what they are given.
    if (command.words.length === 0) continue
    for (const value of scope.variables.get(assignment.name) ?? [])
      if (isLasting && computes(value)) walker.expansion(scope).evaluate(value)
  }
  // `FOO=x cmd` sets FOO for cmd alone; its words still see the old value.
  const expansion = walker.expansion(state)
  const [first, ...others] = command.words
  const named = first === undefined ? '' : script.source.slice(first.start, first.end)
  const input = redirectInput(walker, command.redirects, stdin, state, named)
  walker.log.unit = own
  if (first === undefined) return redirectOutput(walker, command.redirects, '', state, '')
  const heads = expandWord(first, expansion)
  const rest = others.flatMap((word) => expandWord(word, expansion))
  const isChoice = first.parts.length === 1 && first.parts[0]?.kind === 'parameter'
  const choices = isChoice && heads.length > 1 && hasAlternatives(first.parts[0], state)
  const argvs = choices ? heads.map((head) => [head, ...rest]) : [[...heads, ...rest]]
  walker.log.unit = own
  const filled = walker.log.reading.units[own]
  if (filled !== undefined) filled.texts = textsOfSimple(command, script, argvs)
  const outputs = argvs.map((argv) => {
    walker.log.unit = own
    return runAliased(walker, argv, first, command, input, scope, script)
  })
  if (scope !== state) adoptShellChanges(state, scope, command)
  walker.log.unit = own
  return redirectOutput(walker, command.redirects, outputs.join('\n'), state, argvs[0]?.[0] ?? '')
}

const hasAlternatives = (part: unknown, state: ShellState): boolean => {
  return (
    typeof part === 'object' &&
    part !== null &&
    'name' in part &&
    typeof part.name === 'string' &&
    (state.variables.get(part.name)?.length ?? 0) > 1
  )
}

const runAliased = (
  walker: Walker,
  argv: readonly string[],
  first: { start: number; end: number },
  command: SimpleCommand,
  stdin: string,
  state: ShellState,
  script: Script,
): string => {
  const [program = ''] = argv
  const alias = state.aliases.get(program)
  if (alias === undefined || walker.running.has(`alias ${program}`)) {
    return walker.run(argv, stdin, state, false)
  }
  walker.running.add(`alias ${program}`)
  const rest = script.source.slice(first.end, command.end)
  const output = walker.walkText(`${alias}${rest}`, stdin, state)
  walker.running.delete(`alias ${program}`)
  return output
}

/** `FOO=1 cd x` and `FOO=1 eval …` change the shell itself. */
const adoptShellChanges = (state: ShellState, scope: ShellState, command: SimpleCommand): void => {
  state.directories = scope.directories
  state.previous = scope.previous
  state.functions = scope.functions
  state.aliases = scope.aliases
  state.parameters = scope.parameters
  state.stack = scope.stack
  const own = new Set(command.assignments.map(({ name }) => name))
  for (const [name, values] of scope.variables) {
    if (!own.has(name)) state.variables.set(name, values)
  }
}

const isDeclaration = (command: SimpleCommand, script: Script): boolean => {
  const [first] = command.words
  if (first === undefined) return false
  return /^(export|declare|typeset|local|readonly)$/.test(
    script.source.slice(first.start, first.end),
  )
}

/** Sets a variable to the values that it may have. */
const assign = (walker: Walker, assignment: Assignment, state: ShellState): void => {
  const expansion = walker.expansion(state)
  if (computes(assignment.subscript)) expansion.evaluate(assignment.subscript)
  const values =
    assignment.values.length === 1
      ? assignment.values.flatMap((word) => expandText(word, expansion))
      : [assignment.values.flatMap((word) => expandWord(word, expansion)).join(MARK.split)]
  const old = state.variables.get(assignment.name) ?? ['']
  const next = assignment.append
    ? old.flatMap((text) => values.map((value) => text + value))
    : values
  state.variables.set(assignment.name, next)
  for (const value of next) checkAssignment(assignment.name, value, state, walker.shellFor(state))
}
