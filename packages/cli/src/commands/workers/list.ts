import { listWorkers, openPlatform } from '@steward/edge/deploy'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { formatTime } from '../../output/format.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'

export const createWorkersListCommand = (io: Io): Command =>
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
