import type { RunRecord } from '@steward/contract'
import { findRun, type LocalRuntime } from '@steward/runner'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { handleThrown } from '../../errors/handle-thrown.ts'
import { Interruption } from '../../interruption.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import type { LazyNotifier } from '../../notifier/lazy-notifier.ts'
import { notifyRunEnded } from '../../run/notify-run-ended.ts'
import { printFlowOutcome, printOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'

interface ResumeFlags {
  notify?: true
  json?: true
  quiet?: true
  verbose?: true
}

export const createRunsResumeCommand = (io: Io): Command =>
  new Command('resume')
    .description('Resume an interrupted run; without an id, all of them')
    .argument(
      '[id]',
      'the run: last, its id, or the end of its id; a failed run retries its failed step',
    )
    .option('--notify', 'unattended: send failed flows to your channels')
    .option('--json', 'print the whole answer, not only the output')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more progress on stderr')
    .action((id: string | undefined, flags: ResumeFlags) =>
      withLocalRuntime(io, async (steward, notifier) => {
        const { history } = steward
        if (id !== undefined) {
          io.exitCode = await resume(io, { steward, notifier }, findRun(history, id), flags)
          return
        }
        const runs = history.list({ status: 'interrupted', parentId: null, limit: MOST_RUNS })
        if (runs.length === 0) io.err.write('nothing was interrupted\n')
        // Oldest first, as they were started.
        for (const run of runs.toReversed()) {
          const code = await resume(io, { steward, notifier }, run, flags).catch(
            (thrown: unknown) => {
              if (thrown instanceof Interruption) throw thrown
              return handleThrown(io, thrown)
            },
          )
          if (code !== EXIT.success) io.exitCode = EXIT.failed
        }
      }),
    )

const MOST_RUNS = 10_000

const resume = async (
  io: Io,
  { steward, notifier }: { steward: LocalRuntime; notifier: LazyNotifier },
  { id, name, primitive }: RunRecord,
  flags: ResumeFlags,
): Promise<number> => {
  const options = {
    quiet: flags.quiet === true,
    verbose: flags.verbose === true,
    wholeAnswer: flags.json === true,
    flow: primitive === 'flow',
  }
  if (!options.quiet) io.err.write(`continuing ${name}, run ${id}\n`)
  if (primitive === 'flow') {
    const onEnding = notifyRunEnded(steward, notifier, flags.notify !== true)
    const outcome = await watchRun(io, options, (watching) =>
      steward.flows.resume(id, { ...watching, onEnding }),
    )
    return printFlowOutcome(io, outcome, steward, flags.json === true)
  }
  const outcome = await watchRun(io, options, (watching) => steward.runner.resume(id, watching))
  return printOutcome(io, outcome, options)
}
