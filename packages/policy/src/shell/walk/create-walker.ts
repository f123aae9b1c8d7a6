import { resolvePath } from '../../paths/resolve-path.ts'
import type { Expansion } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import { parseShell } from '../parse-shell.ts'
import type { Shell } from '../program.ts'
import { readCode } from '../programs/read-code.ts'
import { copyState, type ShellState } from '../shell-state.ts'
import { unitOfText } from '../units.ts'
import { ReadingLog } from './reading-log.ts'
import { runCall } from './run-call.ts'
import { walkCommand, walkScript } from './walk-script.ts'
import type { WalkContext, Walker } from './walker.ts'
import { WrittenFiles } from './written-files.ts'

const MAX_NESTING = 16
const MAX_CALLS = 64

/** Follows a script as a shell would, without running anything, and records every effect. */
export const createWalker = (context: WalkContext): Walker => {
  const log = new ReadingLog()
  let nesting = 0
  const stopFollowing = (): string => {
    log.emit({ kind: 'unresolved', what: 'commands are nested too deep to follow' })
    return MARK.unknown
  }
  const walker: Walker = {
    context,
    log,
    files: new WrittenFiles(context.home),
    running: new Set(),
    commands: 0,
    depth: 0,
    isForking: false,
    walkText: (text, stdin, state) => {
      if (nesting >= MAX_NESTING) return stopFollowing()
      const parsed = parseShell(text)
      if (!parsed.ok) {
        log.addUnit(unitOfText(text))
        log.emit({ kind: 'unresolved', what: `the command cannot be read: ${parsed.message}` })
        log.reading.problem ??= parsed.message
        return MARK.unknown
      }
      nesting += 1
      const output = walkScript(walker, parsed.script, stdin, state)
      nesting -= 1
      return output
    },
    walkScript: (script, stdin, state) => walkScript(walker, script, stdin, state),
    walk: (command, stdin, state, script) => walkCommand(walker, command, stdin, state, script),
    run: (argv, stdin, state, isInner) => {
      if (walker.depth >= MAX_CALLS) return stopFollowing()
      walker.depth += 1
      const output = runCall(walker, argv, stdin, state, isInner)
      walker.depth -= 1
      return output
    },
    expansion: (state) => createExpansion(walker, state),
    shellFor: (state) => createShell(walker, state),
    touch: (kind, path, options, state) => {
      const { recursive = false, gentle = false, mention = false, ...more } = options
      if (path === '' || path === '-' || path.startsWith('/dev/fd/')) return
      for (const directory of state.directories) {
        const from = resolvePath(directory, '/', context.home)
        const resolved = resolvePath(path, from, context.home)
        log.emit({ kind, path: resolved, recursive, gentle, mention, ...more })
      }
    },
  }
  return walker
}

const createExpansion = (walker: Walker, state: ShellState): Expansion => ({
  state,
  ...walker.context,
  evaluate: (text) => walker.log.aside(() => walker.walkText(quoted(text), '', copyState(state))),
  capture: (script) => walker.log.aside(() => walker.walkScript(script, '', copyState(state))),
  attach: (script, direction) => {
    const stdin = direction === '>' ? MARK.unknown : ''
    const output = walker.log.aside(() => walker.walkScript(script, stdin, copyState(state)))
    if (direction === '<') walker.files.attach(output)
  },
})

/** Makes the text an argument of a no-op command, so that only the substitutions in it run. */
const quoted = (text: string): string => `: "${text.replaceAll('"', '\\"')}"`

const createShell = (walker: Walker, state: ShellState): Shell => {
  const { log, files } = walker
  const shell: Shell = {
    home: walker.context.home,
    emit: (effect) => {
      log.emit(effect)
      if (effect.kind === 'code') readCode(effect.language, effect.text, state, shell)
    },
    read: (path, options = {}) => walker.touch('read', path, options, state),
    write: (path, options = {}) => walker.touch('write', path, options, state),
    remove: (path, options = {}) => walker.touch('delete', path, options, state),
    run: (argv, stdin, inner) => walker.run(argv, stdin, inner, true),
    runText: (text, stdin, inner, parameters) =>
      log.aside(() => {
        const before = inner.parameters
        if (parameters !== undefined) inner.parameters = parameters
        const output = walker.walkText(text, stdin, inner)
        inner.parameters = before
        return output
      }),
    onMachine: (machine, run) => log.onMachine(machine, run),
    evaluate: (text) => walker.expansion(state).evaluate(text),
    judge: (text) => log.aside(() => log.addUnit(unitOfText(text))),
    contentOf: (path) => files.contentOf(path, state),
    remember: (path, content) => files.remember(path, content, state),
  }
  return shell
}
