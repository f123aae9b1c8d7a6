import { Argument, Command } from 'commander'
import type { Io } from '../../io.ts'

const HELP = `
Set up:
  bash   echo 'eval "$(steward completion bash)"' >> ~/.bashrc
  zsh    echo 'source <(steward completion zsh)' >> ~/.zshrc
  fish   steward completion fish > ~/.config/fish/completions/steward.fish
`

export const createCompletionCommand = (io: Io): Command =>
  new Command('completion')
    .description('Print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.out.write(COMPLETION_SCRIPTS[shell])
    })

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Each script asks Steward for candidates, so that new names complete immediately, and completes
 * files where there are none. The one for bash also works in version 3.2, which macOS brings.
 */
export const COMPLETION_SCRIPTS: Record<Shell, string> = {
  bash: `_steward() {
  local IFS=$'\\n'
  COMPREPLY=($(steward __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _steward steward
`,
  zsh: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_steward() {
  local -a candidates
  candidates=("\${(@f)$(steward __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${candidates[*]}" ]] && compadd -a candidates || _files
}
compdef _steward steward
`,
  fish: `function __steward_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (steward __complete -- $words[2..] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c steward -f -a '(__steward_complete)'
`,
}
