import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { printStatus } from './print-status.ts'

const HELP = `
Claude Code: add this to ~/.claude/settings.json, or run steward statusline --install
  "statusLine": { "type": "command", "command": "steward statusline" }

tmux: add this to ~/.tmux.conf
  set -g status-right '#(steward statusline --for tmux)'

The daemon keeps the numbers up to date; without it only those of Claude Code are shown.
`

interface Flags {
  for: 'claude' | 'tmux'
  install?: true
}

export const createStatuslineCommand = (io: Io): Command =>
  new Command('statusline')
    .description('Print cost, window and waiting requests in one line')
    .addOption(
      new Option('--for <program>', 'the program that shows it')
        .choices(['claude', 'tmux'])
        .default('claude'),
    )
    .option('--install', 'add it to the settings of Claude Code')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => {
      if (flags.install) {
        const { installStatusline } = await import('./install-statusline.ts')
        return io.out.write(await installStatusline(io))
      }
      printStatus(io, flags.for)
    })
