import { RUN_STATUSES, type RunStatus } from '@steward/contract'
import { Command, Option } from 'commander'
import { parseCount } from '../../input/parse-count.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'
import { renderRuns } from './render-runs.ts'

interface RunsFlags {
  json?: true
  status?: RunStatus
  name?: string
  limit: number
  all?: true
}

const DEFAULT_LIMIT = 20

export const createRunsListCommand = (io: Io): Command =>
  new Command('list')
    .description('Shows runs, the latest first.')
    .option('--json', 'print JSON')
    .addOption(new Option('--status <status>', 'only runs that are this').choices(RUN_STATUSES))
    .option('--name <name>', 'only runs of this action, pipeline or flow')
    .option('--limit <count>', 'how many', parseCount, DEFAULT_LIMIT)
    .option('--all', 'also the runs that a flow started, one an item')
    .action((flags: RunsFlags) =>
      withSteward(io, async ({ history }) => {
        const runs = history.list({
          limit: flags.limit,
          ...(flags.all ? {} : { parentId: null }),
          ...(flags.status === undefined ? {} : { status: flags.status }),
          ...(flags.name === undefined ? {} : { name: flags.name }),
        })
        if (flags.json) printJson(io.out, runs)
        else io.out.write(renderRuns(runs, io.out.paint))
      }),
    )
