import { isPlain } from './marks.ts'
import type { Shell } from './program.ts'
import { copyState, type ShellState } from './shell-state.ts'

/** Variables whose value other programs run as a command. */
const COMMANDS =
  /^(GIT_SSH_COMMAND|GIT_SSH|GIT_PAGER|PAGER|MANPAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|EDITOR|VISUAL|GIT_EXTERNAL_DIFF|PROMPT_COMMAND|LESSOPEN|LESSCLOSE|BROWSER|SSH_ASKPASS|GIT_ASKPASS|SUDO_ASKPASS|RUSTC_WRAPPER)$/
/** Variables that put foreign code into every program that starts. */
const LOADED =
  /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT)$/

/** Some variables do something by being set. */
export const checkAssignment = (
  name: string,
  value: string,
  state: ShellState,
  shell: Shell,
): void => {
  if (COMMANDS.test(name) && isPlain(value) && /[\s;|&/$]/.test(value)) {
    // LESSOPEN begins with the bar of a pipeline.
    shell.runText(value.replace(/^[|\s-]+/, ''), '', copyState(state))
  }
  if (LOADED.test(name) && value !== '') {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:loaded-code',
      verdict: 'ask',
      reason: `${name} puts code into every program that starts`,
    })
  }
}
