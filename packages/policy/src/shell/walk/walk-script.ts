import { MARK } from '../marks.ts'
import { copyState, mergeInto, type ShellState } from '../shell-state.ts'
import type { Command, Script } from '../syntax.ts'
import { unitOfCommand, unitOfScript } from '../units.ts'
import { redirectInput, redirectOutput } from './redirects.ts'
import { walkCompound } from './walk-compound.ts'
import { walkSimple } from './walk-simple.ts'
import { MAX_COMMANDS, type Walker } from './walker.ts'

/** Walks commands in order, as far as the operators between them let each run. */
export const walkScript = (
  walker: Walker,
  script: Script,
  stdin: string,
  state: ShellState,
): string => {
  const outputs: string[] = []
  if (script.items.length > 1) walker.log.addUnit(unitOfScript(script))
  // In `a && b`, b may not run, so the state before it is also possible after the chain.
  let skipped: ShellState[] = []
  let before: string = ';'
  for (const { command, connector } of script.items) {
    if (before === '&&') skipped.push(copyState(state))
    const isAside = before === '||' || connector === '&'
    const scope = isAside ? copyState(state) : state
    outputs.push(walker.walk(command, stdin, scope, script))
    if (before === '||') mergeInto(state, [scope])
    if (connector === ';' || connector === '&') {
      mergeInto(state, skipped)
      skipped = []
    }
    before = connector
  }
  return outputs.filter((output) => output !== '').join('\n')
}

/** Walks one command of any kind. */
export const walkCommand = (
  walker: Walker,
  command: Command,
  stdin: string,
  state: ShellState,
  script: Script,
): string => {
  walker.commands += 1
  if (walker.commands > MAX_COMMANDS) {
    if (walker.commands === MAX_COMMANDS + 1) {
      walker.log.emit({ kind: 'unresolved', what: 'the command is too long to follow to its end' })
    }
    return MARK.unknown
  }
  if (command.kind === 'simple') return walkSimple(walker, command, stdin, state, script)
  walker.log.addUnit(unitOfCommand(command, script))
  const input = redirectInput(walker, command.redirects, stdin, state)
  const output = walkCompound(walker, command, input, state, script)
  return redirectOutput(walker, command.redirects, output, state, '')
}
