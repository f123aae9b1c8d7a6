import { StewardError } from '@steward/contract'
import { parseOpml } from '@steward/engine'
import { Command } from 'commander'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { withSteward } from '../../setup/open-local.ts'

export const createFeedsImportCommand = (io: Io): Command =>
  new Command('import')
    .description('Adds the feeds of an OPML file; those that are there already stay as they are.')
    .argument('<file>', 'an OPML file, as other feed readers export it')
    .option('--json', 'print JSON')
    .action((file: string, flags: { json?: true }) =>
      withSteward(io, async ({ feeds }) => {
        const parsed = parseOpml(await readTextFile(file, io.cwd))
        if (parsed.feeds.length === 0) {
          const reason = 'it names no feed: an OPML file has <outline xmlUrl="https://…"/>'
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
          `added ${added} feed${added === 1 ? '' : 's'}${known > 0 ? `, ${known} were there already` : ''}\n`,
        )
        for (const { url, reason } of parsed.skipped) {
          io.err.write(`${io.err.paint.yellow('left out:')} ${cleanText(url)}: ${reason}\n`)
        }
      }),
    )
