import { RUN_STATUSES, type RunRecord, type RunStatus } from '@steward/contract'
import { cancelStoredRun, findRun } from '@steward/runner'
import { Command, Option } from 'commander'
import { findDaemonClient } from '../../daemon/daemon-client.ts'
import { EXIT } from '../../errors/exit-codes.ts'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printJson } from '../../output/print-json.ts'
import { findEdgeRun, listEdgeRuns } from './edge-runs.ts'
import { renderRunDetail } from './render-run-detail.ts'
import { renderRuns } from './render-runs.ts'
import { createRunsResumeCommand } from './resume.ts'

const HELP = `
Examples:
  steward runs                               the latest runs
  steward runs --status failed --limit 5     the latest five that failed
  steward runs show last                     show the latest run
  steward runs show 7b039d2e                 show a run by the end of its id
  steward runs --edge                        the latest runs on the edge
  steward runs show last --cloud             the latest run of deployed workers
  steward runs resume                        resume every interrupted run
  steward runs cancel last                   cancel a run of the daemon
`

export const createRunsCommand = (io: Io): Command =>
  new Command('runs')
    .description('List, show, resume, cancel and prune runs')
    .addCommand(createRunsListCommand(io), { isDefault: true })
    .addCommand(createRunsShowCommand(io))
    .addCommand(createRunsResumeCommand(io))
    .addCommand(createRunsCancelCommand(io))
    .addCommand(createRunsPruneCommand(io))
    .addHelpText('after', HELP)

const createRunsCancelCommand = (io: Io): Command =>
  new Command('cancel')
    .description('Cancel a run or abandon an interrupted one')
    .argument('<id>', 'the run: last, its id, or the end of its id')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nCancel a run that a terminal started there, with ^C.\nExits 1 if the run already finished.\n',
    )
    .action(async (id: string, flags: { json?: true }) => {
      const cancelled = await cancel(io, id)
      if (flags.json) printJson(io.out, cancelled)
      else io.out.write(describe(cancelled))
      if (cancelled.status !== 'cancelled') io.exitCode = EXIT.failed
    })

const cancel = async (io: Io, id: string): Promise<{ id: string; status: RunStatus }> => {
  const daemon = await findDaemonClient(io)
  if (daemon !== undefined) return daemon.call('cancelRun', { params: { id }, body: {} })
  return withLocalRuntime(io, ({ history }) => cancelStoredRun(history, id, io.now()))
}

const describe = ({ id, status }: { id: string; status: RunStatus }): string =>
  status === 'cancelled' ? `run ${id} is cancelled\n` : `run ${id} already finished: ${status}\n`

interface RunsFlags {
  json?: true
  status?: RunStatus
  name?: string
  limit: number
  all?: true
  edge?: true
  cloud?: true
}

const DEFAULT_LIMIT = 20

const createRunsListCommand = (io: Io): Command =>
  new Command('list')
    .description('List runs, the latest first')
    .option('--json', 'print JSON')
    .addOption(new Option('--status <status>', 'only runs with this status').choices(RUN_STATUSES))
    .option('--name <name>', 'only runs of this action, pipeline or flow')
    .option('--limit <count>', 'maximum number of entries', parseCount, DEFAULT_LIMIT)
    .option('--all', 'also the runs that a flow started, one per item')
    .option('--edge', 'runs on the local edge, or of deployed workers')
    .option('--cloud', 'runs of deployed workers')
    .action(async (flags: RunsFlags) => {
      const runs = await (flags.edge || flags.cloud
        ? listEdgeRuns(io, flags)
        : listLocalRuns(io, flags))
      if (flags.json) printJson(io.out, runs)
      else io.out.write(renderRuns(runs, io.out.paint))
    })

const listLocalRuns = (io: Io, flags: RunsFlags): Promise<RunRecord[]> =>
  withLocalRuntime(io, async ({ history }) =>
    history.list({
      limit: flags.limit,
      ...(flags.all ? {} : { parentId: null }),
      ...(flags.status === undefined ? {} : { status: flags.status }),
      ...(flags.name === undefined ? {} : { name: flags.name }),
    }),
  )

const BYTES_PER_MB = 1_000_000

const createRunsPruneCommand = (io: Io): Command =>
  new Command('prune')
    .description('Remove old runs by execution.history in settings.json')
    .option('--json', 'print JSON')
    .action((flags: { json?: true }) =>
      withLocalRuntime(io, async ({ history, settings }) => {
        const pruned = await history.prune(settings.execution.history, io.now())
        if (flags.json) {
          printJson(io.out, pruned)
          return
        }
        const size = (pruned.bytes / BYTES_PER_MB).toFixed(1)
        io.out.write(
          `removed ${pruned.runs} runs and ${pruned.payloadFiles} payload files, ${size} MB\n`,
        )
      }),
    )

const createRunsShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show a run with the input, output and cost of each step')
    .argument('<id>', 'the run: last, its id, or the end of its id')
    .option('--json', 'print JSON')
    .option('--full', 'print every field of every step in full')
    .option('--edge', 'a run on the local edge, or of a deployed worker')
    .option('--cloud', 'a run of a deployed worker')
    .action(async (id: string, flags: { json?: true; full?: true; edge?: true; cloud?: true }) => {
      const run = await (flags.edge || flags.cloud
        ? findEdgeRun(io, id, flags)
        : withLocalRuntime(io, async ({ history }) => findRun(history, id)))
      if (flags.json) printJson(io.out, run)
      else io.out.write(renderRunDetail(run, io.out, flags.full === true))
    })
