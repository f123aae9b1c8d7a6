import { isUnresolved, MARK } from '../marks.ts'
import type { Call } from '../program.ts'
import type { ShellState } from '../shell-state.ts'

/** Runs a text as a shell script and reports parts that cannot be known before it runs. */
export const runCode = (
  call: Call,
  text: string,
  stdin: string,
  state: ShellState,
  parameters?: string[],
): string => {
  const { shell, name } = call
  if (isUnresolved(text)) reportUnknownCode(call, text)
  else if (text.includes(MARK.star) || text.includes(MARK.deep)) {
    shell.emit({ kind: 'unresolved', what: `${name} runs text that depends on file names` })
  }
  // A text that consists of marks only has nothing to parse.
  if (isUnresolved(text) && /^[\s\uE000-\uE008]*$/.test(text)) return MARK.unknown
  return shell.runText(text, stdin, state, parameters)
}

/**
 * Reports code that cannot be read before it runs: from the network, decoded on the way, or from a
 * variable.
 */
export const reportUnknownCode = ({ shell, name }: Call, text: string): void => {
  if (text.includes(MARK.decoded)) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:hidden-code',
      verdict: 'deny',
      reason: `${name} runs code that is unpacked only when it runs`,
    })
  } else if (text.includes(MARK.remote)) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:remote-code',
      verdict: 'ask',
      reason: `${name} runs code straight from the network`,
    })
  } else
    shell.emit({ kind: 'unresolved', what: `${name} runs text that is known only when it runs` })
}
