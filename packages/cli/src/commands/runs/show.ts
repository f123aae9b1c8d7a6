import { findRun } from '@steward/runner'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'
import { renderRunDetail } from './render-run-detail.ts'

export const createRunsShowCommand = (io: Io): Command =>
  new Command('show')
    .description("Shows one run: each step's input, output, time, tokens, cost and error.")
    .argument('<id>', 'the run: last, its id, or the end of its id')
    .option('--json', 'print JSON')
    .option('--full', 'every field of every step, whole')
    .action((id: string, flags: { json?: true; full?: true }) =>
      withSteward(io, async ({ history }) => {
        const run = findRun(history, id)
        if (flags.json) printJson(io.out, run)
        else io.out.write(renderRunDetail(run, io.out, flags.full === true))
      }),
    )
