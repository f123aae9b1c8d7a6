import { StewardError } from '@steward/contract'
import { createFeedRecord, isBreakerOpen, resetFeed } from '@steward/engine'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'
import { findFeed } from './find.ts'

export const createFeedsRetryCommand = (io: Io): Command =>
  new Command('retry')
    .description('Forgets the errors of a feed, so that the next poll checks it.')
    .argument('[feed]', 'its address or title')
    .option('--all', 'every feed that is skipped after too many errors')
    .option('--json', 'print JSON')
    .action((wanted: string | undefined, flags: { all?: true; json?: true }) =>
      withSteward(io, async ({ feeds }) => {
        if ((wanted === undefined) === (flags.all === undefined)) {
          const reason = 'give one feed, or --all for those that are skipped'
          throw new StewardError('invalid_input', { subject: 'feeds retry', reason })
        }
        const list = await feeds.file.read()
        const { store } = feeds.database()
        const reset: string[] = []
        for (const { url } of wanted === undefined ? list : [findFeed(list, wanted)]) {
          const record = (await store.read(url)) ?? createFeedRecord(url)
          if (wanted === undefined && !isBreakerOpen(record)) continue
          await store.write(resetFeed(record))
          reset.push(url)
        }
        if (flags.json) {
          printJson(io.out, { reset })
          return
        }
        if (reset.length === 0) io.out.write('no feed is skipped\n')
        for (const url of reset) io.out.write(`${url} is checked by the next poll\n`)
        if (reset.length > 0) io.out.write('  now: steward trigger F_FEEDS_POLLER\n')
      }),
    )
