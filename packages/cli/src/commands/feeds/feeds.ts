import { type FeedList, type FeedSubscription, nearestHint, StewardError } from '@steward/contract'
import { createFeedRecord, isBreakerOpen, parseOpml, renderOpml, resetFeed } from '@steward/engine'
import { Command } from 'commander'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { createFeedsAddCommand } from './add.ts'
import { createFeedsListCommand } from './list.ts'

const HELP = `
Examples:
  steward feeds                                    list your feeds and their health
  steward feeds add https://example.com/feed.xml
  steward feeds import subscriptions.opml          import from another feed reader
  steward feeds retry https://example.com/feed.xml

Your feeds are in USER/FLOWS/feeds.json. F_FEEDS_POLLER checks them, F_FEEDS_PROCESSOR processes new
items: steward trigger F_FEEDS_POLLER, then steward trigger F_FEEDS_PROCESSOR.
`

export const createFeedsCommand = (io: Io): Command =>
  new Command('feeds')
    .description('Manage your feeds and show their health')
    .addCommand(createFeedsListCommand(io), { isDefault: true })
    .addCommand(createFeedsAddCommand(io))
    .addCommand(createFeedsRemoveCommand(io))
    .addCommand(createFeedsImportCommand(io))
    .addCommand(createFeedsExportCommand(io))
    .addCommand(createFeedsRetryCommand(io))
    .addHelpText('after', HELP)

const createFeedsExportCommand = (io: Io): Command =>
  new Command('export')
    .description('Print your feeds as OPML, for other feed readers')
    .option('--json', 'print feeds.json instead')
    .action((flags: { json?: true }) =>
      withLocalRuntime(io, async ({ feeds }) => {
        const list = await feeds.file.read()
        if (flags.json) printJson(io.out, list)
        else io.out.write(renderOpml(list, 'Feeds of Steward'))
      }),
    )

const createFeedsRemoveCommand = (io: Io): Command =>
  new Command('remove')
    .description('Remove a feed; keeps the items already stored')
    .argument('<feed>', 'its address or title')
    .option('--json', 'print JSON')
    .action((wanted: string, flags: { json?: true }) =>
      withLocalRuntime(io, async ({ feeds }) => {
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

const createFeedsRetryCommand = (io: Io): Command =>
  new Command('retry')
    .description('Clear the errors of a feed; the next poll fetches it')
    .argument('[feed]', 'its address or title')
    .option('--all', 'all feeds skipped after too many errors')
    .option('--json', 'print JSON')
    .action((wanted: string | undefined, flags: { all?: true; json?: true }) =>
      withLocalRuntime(io, async ({ feeds }) => {
        if ((wanted === undefined) === (flags.all === undefined)) {
          const reason = 'give one feed, or --all for all skipped ones'
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

const createFeedsImportCommand = (io: Io): Command =>
  new Command('import')
    .description('Import feeds from an OPML file; keeps existing ones')
    .argument('<file>', 'an OPML file, as other feed readers export it')
    .option('--json', 'print JSON')
    .action((file: string, flags: { json?: true }) =>
      withLocalRuntime(io, async ({ feeds }) => {
        const parsed = parseOpml(await readTextFile(file, io.cwd))
        if (parsed.feeds.length === 0) {
          const reason = 'it contains no feed: an OPML file has <outline xmlUrl="https://…"/>'
          throw new StewardError('invalid_input', { subject: file, reason })
        }
        let added = 0
        await feeds.file.update((list) => {
          const known = new Set(list.map(({ url }) => url))
          const fresh = parsed.feeds.filter(({ url }) => !known.has(url))
          added = fresh.length
          return [...list, ...fresh]
        })
        const known = parsed.feeds.length - added
        if (flags.json) {
          printJson(io.out, { added, known, skipped: parsed.skipped })
          return
        }
        io.out.write(
          `added ${added} feed${added === 1 ? '' : 's'}${known > 0 ? `, ${known} existed already` : ''}\n`,
        )
        for (const { url, reason } of parsed.skipped) {
          io.err.write(`${io.err.paint.yellow('left out:')} ${cleanText(url)}: ${reason}\n`)
        }
      }),
    )

/** Finds a subscription by address or title. */
const findFeed = (feeds: FeedList, wanted: string): FeedSubscription => {
  const found = feeds.find(({ url, title }) => url === wanted || title === wanted)
  if (found !== undefined) return found
  const known = feeds.flatMap(({ url, title }) => (title === undefined ? [url] : [url, title]))
  throw new StewardError('not_found', {
    what: 'feed',
    name: wanted,
    hint: nearestHint(wanted, known),
  })
}
