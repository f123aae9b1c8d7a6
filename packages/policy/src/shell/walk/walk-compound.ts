import type { Effect } from '../effects.ts'
import { evaluateNames, expandText, expandWord } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import { isShell } from '../programs/shell-programs.ts'
import { copyState, mergeInto, type ShellState } from '../shell-state.ts'
import type { Command, CompoundCommand, Script } from '../syntax.ts'
import type { Walker } from './walker.ts'

/** Commands made of others: every branch counts, a loop is gone through as often as it changes something. */
export const walkCompound = (
  walker: Walker,
  command: CompoundCommand,
  stdin: string,
  state: ShellState,
  script: Script,
): string => {
  switch (command.kind) {
    case 'pipeline':
      return walkPipeline(walker, command.commands, stdin, state, script)
    case 'block':
      return walker.walkScript(command.body, stdin, command.subshell ? copyState(state) : state)
    case 'if': {
      const branches = command.branches.map(({ test, body }) => {
        walker.walkScript(test, stdin, state)
        return body
      })
      const isWhole = command.otherwise !== undefined
      if (command.otherwise !== undefined) branches.push(command.otherwise)
      return walkBranches(walker, branches, isWhole, stdin, state)
    }
    case 'while': {
      walker.walkScript(command.test, stdin, state)
      return walkLoop(walker, command.body, stdin, state)
    }
    case 'for': {
      const expansion = walker.expansion(state)
      const values = command.words?.flatMap((word) => expandWord(word, expansion))
      if (command.name !== '') {
        const given = values ?? state.parameters ?? [MARK.unknown]
        state.variables.set(command.name, given.length > 64 ? [MARK.unknown] : [...new Set(given)])
      }
      return walkLoop(walker, command.body, stdin, state)
    }
    case 'case': {
      expandText(command.word, walker.expansion(state))
      for (const { patterns } of command.arms) {
        for (const pattern of patterns) expandText(pattern, walker.expansion(state))
      }
      const bodies = command.arms.map(({ body }) => body)
      return walkBranches(walker, bodies, false, stdin, state)
    }
    case 'function':
      state.functions.set(command.name, { body: command.body, script })
      return ''
    case 'test':
      for (const word of command.words) {
        const expansion = walker.expansion(state)
        for (const text of expandText(word, expansion)) evaluateNames(text, expansion)
      }
      return ''
    case 'arithmetic':
      for (const text of expandText(
        { parts: command.parts, start: 0, end: 0 },
        walker.expansion(state),
      )) {
        evaluateNames(text, walker.expansion(state))
      }
      return ''
  }
}

/** One of them runs; or none, unless `isWhole`. */
const walkBranches = (
  walker: Walker,
  bodies: readonly Script[],
  isWhole: boolean,
  stdin: string,
  state: ShellState,
): string => {
  const outputs: string[] = []
  const ends = bodies.map((body) => {
    const branch = copyState(state)
    outputs.push(walker.walkScript(body, stdin, branch))
    return branch
  })
  const [first, ...others] = isWhole ? ends : [copyState(state), ...ends]
  if (first !== undefined) Object.assign(state, first)
  mergeInto(state, others)
  return outputs.join('\n')
}

/** Twice: what the first round set is there in the second. */
const walkLoop = (walker: Walker, body: Script, stdin: string, state: ShellState): string => {
  const first = copyState(state)
  const output = walker.walkScript(body, stdin, first)
  const changed = [...first.variables].some(
    ([name, values]) => state.variables.get(name) !== values,
  )
  const moved = first.directories !== state.directories
  mergeInto(state, [first])
  if (changed || moved) walker.walkScript(body, stdin, state)
  return output
}

const walkPipeline = (
  walker: Walker,
  commands: readonly Command[],
  stdin: string,
  state: ShellState,
  script: Script,
): string => {
  let flowing = stdin
  const before = walker.log.reading.effects.length
  for (const command of commands) {
    const input = flowing === '' && command !== commands[0] ? MARK.unknown : flowing
    flowing = walker.walk(command, input, copyState(state), script)
  }
  checkReverseShell(walker, walker.log.reading.effects.slice(before))
  return flowing
}

/** A shell on one side of a connection and the network on the other. */
const checkReverseShell = (walker: Walker, effects: readonly Effect[]): void => {
  const programs = effects.flatMap((effect) => (effect.kind === 'run' ? [effect] : []))
  const connects = programs.some(({ program }) => /^(nc|ncat|netcat|socat|telnet)$/.test(program))
  const serves = programs.some(
    ({ program, argv }) => isShell(program) && (argv.length === 1 || argv.includes('-i')),
  )
  if (!connects || !serves) return
  walker.log.emit({
    kind: 'hazard',
    rule: 'builtin:reverse-shell',
    verdict: 'deny',
    reason: 'a shell is handed to whoever is at the other end of a connection',
  })
}
