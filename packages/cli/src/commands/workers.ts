import { Command } from 'commander'
import type { Io } from '../io.ts'
import { createWorkersListCommand } from './workers-list.ts'
import { createWorkersLogsCommand } from './workers-logs.ts'
import { createWorkersStatusCommand } from './workers-status.ts'

const HELP = `
Examples:
  steward workers                              what is deployed
  steward workers status f-feeds-poller        version, cron, bindings, secrets, what is wrong
  steward workers logs f-feeds-poller --follow what it does, as it happens

These are queries to the platform's API and need no local files. They use wrangler's login, or
STEWARD_CF_TOKEN where it is set.
`

export const createWorkersCommand = (io: Io): Command =>
  new Command('workers')
    .description('Looks at deployed workers.')
    .addCommand(createWorkersListCommand(io), { isDefault: true })
    .addCommand(createWorkersStatusCommand(io))
    .addCommand(createWorkersLogsCommand(io))
    .addHelpText('after', HELP)
