import { type RunDetail, StewardError } from '@steward/contract'
import { isStepPath } from '@steward/engine'
import { findRun } from '@steward/runner'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'

const SHOWN_STEPS = 20

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
  steward rerun last --from '6.each[18].1'           only element 18, and what follows the fan-out
`

export const createRerunCommand = (io: Io): Command =>
  new Command('rerun')
    .description('Repeat a run from one of its steps, as a new run')
    .argument('<id>', 'the run: last, its id, or the end of its id')
    .requiredOption('--from <step>', 'an action, or its number or path in runs show')
    .option('--original', 'use the original definition, not the current one')
    .option('--json', 'print the whole answer, not only the output')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more progress on stderr')
    .addHelpText('after', HELP)
    .action((id: string, flags: RerunFlags) =>
      withLocalRuntime(io, async ({ history, runner, catalog }) => {
        const run = findRun(history, id)
        const steps =
          run.primitive === 'pipeline' && flags.original !== true
            ? catalog.pipelines.load(run.name).definition.actions
            : []
        const names = steps.filter((step) => typeof step === 'string')
        const from = findStep(run, names.length === steps.length ? names : [], flags.from)
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

/** The step's path. `names` is the current list of a plain pipeline; otherwise the run's counts. */
const findStep = (run: RunDetail, names: readonly string[], step: string): string => {
  if (isStepPath(step)) return step
  const known =
    names.length > 0
      ? names.map((action, at) => ({ action, path: String(at + 1) }))
      : run.steps.map(({ action, path, step: at }) => ({ action, path: path ?? String(at) }))
  const found = known.find(({ action }) => action === step)
  if (found !== undefined) return found.path
  const steps = known
    .slice(0, SHOWN_STEPS)
    .map(({ action, path }) => `${path} ${action}`)
    .join(', ')
  throw new StewardError('invalid_input', {
    subject: `--from ${step}`,
    reason: `run ${run.id} has no such step; it has ${steps}`,
    field: 'from',
  })
}
