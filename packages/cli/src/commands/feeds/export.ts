import { renderOpml } from '@steward/engine'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'

export const createFeedsExportCommand = (io: Io): Command =>
  new Command('export')
    .description('Prints your feeds as OPML, for other feed readers.')
    .option('--json', 'print feeds.json instead')
    .action((flags: { json?: true }) =>
      withSteward(io, async ({ feeds }) => {
        const list = await feeds.file.read()
        if (flags.json) printJson(io.out, list)
        else io.out.write(renderOpml(list, 'Feeds of Steward'))
      }),
    )
