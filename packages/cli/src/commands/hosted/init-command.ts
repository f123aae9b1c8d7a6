import { Command } from 'commander'
import type { Io } from '../../io.ts'
import type { InitFlags } from './command-flags.ts'
import { withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted init                          a first agent, an environment, and a session
  steward hosted init --name helper --ask      one that asks before each tool
  steward hosted init --vendor                 the same on the vendor's servers

Asked again it makes nothing twice: what has the name is taken as it is.
`

export const createHostedInitCommand = (io: Io): Command =>
  withTarget(new Command('init'))
    .description('Makes a first agent with an environment and a session that is ready to talk to.')
    .option('--name <name>', 'the name of all three', 'first')
    .option('--model <model>', 'the model that thinks; what LLM_* says unless given')
    .option('--ask', 'ask before each call of a tool')
    .addHelpText('after', HELP)
    .action(async (flags: InitFlags) => {
      const { initHosted } = await import('./init.ts')
      await initHosted(io, flags)
    })
