import { type RunDetail, StewardError } from '@steward/contract'
import { findRun } from '@steward/runner'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'
import { withLocalRuntime } from '../../setup/open-local.ts'

interface RerunFlags {
  from: string
  original?: true
  json?: true
  quiet?: true
  verbose?: true
}

const HELP = `
Results of the steps before STEP are taken over and not paid for again.

Examples:
  steward rerun last --from A_FORMAT_MARKDOWN        from that action on, as defined now
  steward rerun 7b039d2e --from 1 --original         from the start, with the actions it had then
`

export const createRerunCommand = (io: Io): Command =>
  new Command('rerun')
    .description('Repeat a run from one of its steps, as a new run')
    .argument('<id>', 'the run: last, its id, or the end of its id')
    .requiredOption('--from <step>', "an action's name, or a number counted from 1")
    .option('--original', 'use the original definition, not the current one')
    .option('--json', 'print the whole answer, not only the output')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more progress on stderr')
    .addHelpText('after', HELP)
    .action((id: string, flags: RerunFlags) =>
      withLocalRuntime(io, async ({ history, runner, catalog }) => {
        const run = findRun(history, id)
        const actions =
          run.primitive === 'pipeline' && flags.original !== true
            ? catalog.pipelines.load(run.name).definition.actions
            : run.steps.map(({ action }) => action)
        const from = findStep(run, actions, flags.from)
        const options = {
          quiet: flags.quiet === true,
          verbose: flags.verbose === true,
          wholeAnswer: flags.json === true,
        }
        const definition = flags.original ? 'original' : 'current'
        const outcome = await watchRun(io, options, (watching) =>
          runner.rerun(run.id, from, { ...watching, definition }),
        )
        io.exitCode = printOutcome(io, outcome, options)
      }),
    )

/** The step's index from 0. */
const findStep = (run: RunDetail, actions: readonly string[], step: string): number => {
  if (/^\d+$/.test(step) && Number(step) >= 1) return Number(step) - 1
  const index = actions.indexOf(step)
  if (index !== -1) return index
  const steps = actions.map((action, at) => `${at + 1} ${action}`).join(', ')
  throw new StewardError('invalid_input', {
    subject: `--from ${step}`,
    reason: `run ${run.id} has no such step; it has ${steps}`,
    field: 'from',
  })
}
