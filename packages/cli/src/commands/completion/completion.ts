import { Argument, Command } from 'commander'
import type { Io } from '../../io.ts'
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from './scripts.ts'

const HELP = `
Set up:
  bash   echo 'source <(steward completion bash)' >> ~/.bashrc
  zsh    echo 'source <(steward completion zsh)' >> ~/.zshrc
  fish   steward completion fish > ~/.config/fish/completions/steward.fish
`

export const createCompletionCommand = (io: Io): Command =>
  new Command('completion')
    .description('Prints a script that completes commands, options and names in your shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.out.write(COMPLETION_SCRIPTS[shell])
    })
