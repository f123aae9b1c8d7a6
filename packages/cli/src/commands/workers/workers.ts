import { listWorkers, openPlatform } from '@steward/edge/deploy'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
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

const createWorkersListCommand = (io: Io): Command =>
  new Command('list')
    .description('List deployed actions, pipelines and flows')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { api } = await openPlatform(io)
      const workers = await listWorkers(api)
      if (json) return printJson(io.out, workers)
      if (workers.length === 0) {
        io.out.write(`no worker is deployed yet: ${COMMAND} deploy --all\n`)
        return
      }
      const rows = workers.map(({ worker, primitive, name, modified }) => [
        primitive,
        worker,
        name,
        modified === null ? '' : formatTime(modified),
      ])
      io.out.write(formatTable(rows))
    })
