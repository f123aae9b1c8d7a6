import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'
import { findFeed } from './find.ts'

export const createFeedsRemoveCommand = (io: Io): Command =>
  new Command('remove')
    .description('Removes a feed; items that are in the table already stay there.')
    .argument('<feed>', 'its address or title')
    .option('--json', 'print JSON')
    .action((wanted: string, flags: { json?: true }) =>
      withSteward(io, async ({ feeds }) => {
        let removed = wanted
        await feeds.file.update((list) => {
          removed = findFeed(list, wanted).url
          return list.filter(({ url }) => url !== removed)
        })
        await feeds.database().forget(removed)
        if (flags.json) printJson(io.out, { url: removed, removed: true })
        else io.out.write(`removed ${removed}\n`)
      }),
    )
