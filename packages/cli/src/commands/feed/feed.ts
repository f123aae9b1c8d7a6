import { reasonOf } from '@steward/contract'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import { handleThrown } from '../../errors/handle-thrown.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { readFeed } from './read-feed.ts'

const HELP = `
Examples:
  steward feed parse feed.xml
  steward feed parse https://example.com/feed.xml other.xml --json

One feed is printed as JSON: {title, link, items}. Several are printed as one JSON line each, and
one that cannot be read as {file, error}; the exit code is then not 0.
`

export const createFeedCommand = (io: Io): Command =>
  new Command('feed').description('Parse feeds as the poller does').addCommand(
    new Command('parse')
      .description('Print feeds of any common format as the poller reads them')
      .argument('<sources...>', 'files or http(s) addresses')
      .option('--json', 'one line of JSON per feed, even on a terminal')
      .addHelpText('after', HELP)
      .action((sources: string[], flags: { json?: true }) => parseAll(io, sources, flags)),
  )

const parseAll = async (io: Io, sources: string[], flags: { json?: true }): Promise<void> => {
  const out = flags.json || sources.length > 1 ? { ...io.out, isTerminal: false } : io.out
  for (const source of sources) {
    try {
      printJson(out, await readFeed(io, source))
    } catch (thrown) {
      io.signal.throwIfAborted()
      if (sources.length === 1 && !flags.json) throw thrown
      printJson(out, { file: source, error: reasonOf(thrown) })
      if (sources.length === 1) io.exitCode = await handleThrown(io, thrown)
      else io.exitCode = EXIT.failed
    }
  }
}
