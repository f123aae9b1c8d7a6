import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printJson } from '../../output/print-json.ts'
import { notifyRunEnded } from '../../run/notify-run-ended.ts'
import { printFlowOutcome } from '../../run/print-outcome.ts'
import { watchRun } from '../../run/watch-run.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { type EdgeChoice, isOnEdge, retryEdgeItems } from './edge-items.ts'

interface RetryFlags extends EdgeChoice {
  all?: true
  notify?: true
  json?: true
  quiet?: true
  verbose?: true
}

const HELP = `
Examples:
  steward flows retry F_NEWS_DIGEST                everything that waits, failed or was given up
  steward flows retry F_NEWS_DIGEST --all          rejected items too
  steward flows retry F_NEWS_DIGEST ITEM           one item, by its id
  steward flows retry F_NEWS_DIGEST --cloud        on the deployed worker

Stored outputs are delivered as they are, without a model call.
`

export const createFlowsRetryCommand = (io: Io): Command =>
  new Command('retry')
    .description('Retry undelivered items of a flow now')
    .argument('<flow>', 'a name (F_…) or an id')
    .argument('[items...]', 'ids of items, as `steward flows items` lists them')
    .option('--all', 'rejected items too')
    .option('--edge', 'on the local edge, or on the deployed worker')
    .option('--cloud', 'on the deployed worker')
    .option('--notify', 'unattended: send failures to your channels')
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'more progress on stderr')
    .addHelpText('after', HELP)
    .action(async (flow: string, items: string[], flags: RetryFlags) => {
      const choice = items.length === 0 ? { all: flags.all === true } : { items }
      if (isOnEdge(flags)) {
        const run = await retryEdgeItems(io, flow, choice, flags)
        if (flags.json) printJson(io.out, { run })
        else
          io.out.write(`started run ${run}; see: ${COMMAND} runs show ${run} ${optionOf(flags)}\n`)
        return
      }
      await withLocalRuntime(io, async (steward, notifier) => {
        const options = { quiet: flags.quiet === true, verbose: flags.verbose === true, flow: true }
        const outcome = await watchRun(io, options, (watching) =>
          steward.flows.retry(flow, choice, {
            ...watching,
            onEnding: notifyRunEnded(steward, notifier, flags.notify !== true),
          }),
        )
        io.exitCode = printFlowOutcome(io, outcome, steward, flags.json === true)
      })
    })

const optionOf = ({ cloud }: RetryFlags): string => (cloud === true ? '--cloud' : '--edge')
