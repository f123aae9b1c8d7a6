import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'

const BYTES_PER_MB = 1_000_000

export const createRunsPruneCommand = (io: Io): Command =>
  new Command('prune')
    .description('Removes old runs, by execution.history in settings.json (count, age, bytes).')
    .option('--json', 'print JSON')
    .action((flags: { json?: true }) =>
      withSteward(io, async ({ history, settings }) => {
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
