import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createWorkersListCommand } from './list.ts'
import { createWorkersLogsCommand } from './logs.ts'
import { createWorkersStatusCommand } from './status.ts'

const HELP = `
Examples:
  steward workers                              list deployed workers
  steward workers status f-feeds-poller        version, crons, bindings, secrets, problems
  steward workers logs f-feeds-poller --follow follow its log

These commands query the platform's API and need no local files. They use STEWARD_CF_TOKEN if set,
otherwise wrangler's login.
`

export const createWorkersCommand = (io: Io): Command =>
  new Command('workers')
    .description('List and inspect deployed workers')
    .addCommand(createWorkersListCommand(io), { isDefault: true })
    .addCommand(createWorkersStatusCommand(io))
    .addCommand(createWorkersLogsCommand(io))
    .addHelpText('after', HELP)
