import { expandText, expandWord } from '../expand-word.ts'
import { MARK } from '../marks.ts'
import { isShell } from '../programs/shell-programs.ts'
import type { ShellState } from '../shell-state.ts'
import type { Redirect } from '../syntax.ts'
import type { Walker } from './walker.ts'

/** What a command reads on standard input, after its redirections. */
export const redirectInput = (
  walker: Walker,
  redirects: readonly Redirect[],
  stdin: string,
  state: ShellState,
  program = '',
): string => {
  let input = stdin
  for (const redirect of redirects) {
    const expansion = walker.expansion(state)
    if (redirect.body !== undefined) input = expandText(redirect.body, expansion).join('\n')
    else if (redirect.operator === '<<<') input = expandText(redirect.target, expansion).join('\n')
    else if (redirect.operator === '<' || redirect.operator === '<>') {
      const paths = expandWord(redirect.target, expansion)
      for (const path of paths) walker.touch('read', path, {}, state)
      input = paths.map((path) => walker.files.contentOf(path, state) ?? MARK.unknown).join('\n')
      for (const path of paths) checkConnection(walker, path, program)
    }
  }
  return input
}

/** Where the output goes; what is left of it flows on. */
export const redirectOutput = (
  walker: Walker,
  redirects: readonly Redirect[],
  output: string,
  state: ShellState,
  program: string,
): string => {
  let flowing = output
  for (const { operator, descriptor, target } of redirects) {
    if (!operator.includes('>') || operator === '<>') continue
    for (const path of expandWord(target, walker.expansion(state))) {
      if (operator === '>&' && /^(\d+|-)$/.test(path)) continue
      if (/^\/dev\/(null|stdout|stderr|tty|fd\/\d+)$/.test(path)) {
        if (path === '/dev/null' && descriptor !== '2') flowing = ''
        continue
      }
      checkConnection(walker, path, program, output.includes(MARK.secret))
      const replaces = operator !== '>>' && output === '' && EMPTIES.test(program)
      walker.touch('write', path, { replaces }, state)
      if (descriptor === '2') continue
      walker.files.remember(
        path,
        operator.includes('>>')
          ? `${walker.files.contentOf(path, state) ?? ''}\n${output}`
          : output,
        state,
      )
      flowing = ''
    }
  }
  return flowing
}

/** Commands that print nothing when they are given nothing: what they are sent to is emptied. */
const EMPTIES = /^(:|true|cat|echo|printf|)$/

/** bash opens a connection for `/dev/tcp/host/port`. */
const checkConnection = (walker: Walker, path: string, program: string, isSecret = false): void => {
  if (!/^\/dev\/(tcp|udp)\//.test(path)) return
  walker.log.emit({ kind: 'network', program: 'bash', target: path, sends: true })
  walker.log.emit({
    kind: 'hazard',
    rule: 'builtin:reverse-shell',
    verdict: isSecret || isShell(program) || program === 'exec' ? 'deny' : 'ask',
    reason: 'the shell itself opens a connection to another machine',
  })
}
