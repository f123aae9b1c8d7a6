import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createRunsCancelCommand } from './cancel.ts'
import { createRunsListCommand } from './list.ts'
import { createRunsPruneCommand } from './prune.ts'
import { createRunsResumeCommand } from './resume.ts'
import { createRunsShowCommand } from './show.ts'

const HELP = `
Examples:
  steward runs                               the latest runs
  steward runs --status failed --limit 5     the latest five that failed
  steward runs show last                     all about the latest run
  steward runs show 7b039d2e                 all about one run, by the end of its id
  steward runs resume                        continue whatever was interrupted
  steward runs cancel last                   end one that the daemon runs
`

export const createRunsCommand = (io: Io): Command =>
  new Command('runs')
    .description('Looks at past runs, continues interrupted ones, cancels those under way.')
    .addCommand(createRunsListCommand(io), { isDefault: true })
    .addCommand(createRunsShowCommand(io))
    .addCommand(createRunsResumeCommand(io))
    .addCommand(createRunsCancelCommand(io))
    .addCommand(createRunsPruneCommand(io))
    .addHelpText('after', HELP)
