import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createAgentsExportCommand } from './export.ts'
import { createAgentsListCommand } from './list.ts'
import { createAgentsLogCommand } from './log.ts'
import { createAgentsEditCommand, createAgentsNewCommand } from './write.ts'

const HELP = `
Examples:
  steward agents new Ava --role "primary researcher" --description "Finds things out" --voice-id v-17
  steward agents                                 your named agents
  steward agents edit Ava                        in $EDITOR; checked before it counts
  steward agents export --host claude            as agent files of your assistant
  steward agents log Ava "Found the missing invoice" --kind praise
  steward agents types                           the built-in subagent types

Named agents are Markdown files in USER/AGENTS of the data home (docs/agents.md). Spoken with their own
voice: steward voice say "Done" --agent Ava, or "agent": "Ava" in POST /notify.
`

export const createAgentsCommand = (io: Io): Command => {
  const command = new Command('agents').description('Your named agents.')
  for (const [index, sub] of createAgentsListCommand(io).entries()) {
    command.addCommand(sub, { isDefault: index === 0 })
  }
  return command
    .addCommand(createAgentsNewCommand(io))
    .addCommand(createAgentsEditCommand(io))
    .addCommand(createAgentsExportCommand(io))
    .addCommand(createAgentsLogCommand(io))
    .addHelpText('after', HELP)
}
