import { type FeedSubscription, faultOfFeedUrl, reasonOf, StewardError } from '@steward/contract'
import { Command, InvalidArgumentError } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { readFeed } from '../feed/read-feed.ts'

interface AddFlags {
  title?: string
  category?: string[]
  interval?: number
  ignoreCache?: true
  check: boolean
  json?: true
}

export const createFeedsAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Add a feed after fetching it once')
    .argument('<url>', 'the address of the feed')
    .option('--title <title>', 'your name for it (default: its own title)')
    .option('--category <word>', 'a category; repeatable', collect)
    .option('--interval <minutes>', 'minimum minutes between checks, 5 to 1440', parseInterval)
    .option('--ignore-cache', 'always request the whole feed')
    .option('--no-check', 'add it without fetching it')
    .option('--json', 'print JSON')
    .action((url: string, flags: AddFlags) =>
      withLocalRuntime(io, async ({ feeds }) => {
        const fault = faultOfFeedUrl(url)
        if (fault !== undefined) {
          throw new StewardError('invalid_input', { subject: url, reason: fault, field: 'url' })
        }
        const looked = flags.check ? await lookAt(io, url) : undefined
        const feed = subscriptionOf(url, flags, looked?.title)
        let isNew = true
        await feeds.file.update((list) => {
          isNew = !list.some((each) => each.url === url)
          return isNew ? [...list, feed] : list.map((each) => (each.url === url ? feed : each))
        })
        if (flags.json) {
          printJson(io.out, { ...feed, added: isNew, ...looked })
          return
        }
        const name = feed.title === undefined ? url : `${cleanText(feed.title)} (${url})`
        const items = looked?.items === undefined ? '' : `, ${looked.items} items now`
        io.out.write(`${isNew ? 'added' : 'updated'} ${name}${items}\n`)
        if (looked?.error !== undefined) {
          const { paint } = io.err
          io.err.write(`${paint.yellow('warning:')} it cannot be read now: ${looked.error}\n`)
          io.err.write('  the poller will retry; steward feeds shows its state\n')
        }
      }),
    )

const collect = (word: string, before: string[] = []): string[] => [...before, word]

const parseInterval = (text: string): number => {
  const minutes = parseCount(text)
  if (minutes >= 5 && minutes <= 1440) return minutes
  throw new InvalidArgumentError('It must be from 5 to 1440.')
}

interface Looked {
  title?: string
  items?: number
  error?: string
}

/** A feed that does not answer now may do so later, so problems are only reported. */
const lookAt = async (io: Io, url: string): Promise<Looked> => {
  try {
    const { title, items } = await readFeed(io, url)
    return { items: items.length, ...(title === null ? {} : { title }) }
  } catch (thrown) {
    io.signal.throwIfAborted()
    return { error: reasonOf(thrown) }
  }
}

const subscriptionOf = (
  url: string,
  { title, category, interval, ignoreCache }: AddFlags,
  ownTitle: string | undefined,
): FeedSubscription => {
  const name = title ?? ownTitle
  return {
    url,
    ...(name === undefined ? {} : { title: name }),
    ...(category === undefined ? {} : { categories: category }),
    ...(interval === undefined ? {} : { intervalMinutes: interval }),
    ...(ignoreCache ? { ignoreCache } : {}),
  }
}
