import type { FeedHealth, FeedSubscription } from '@steward/contract'
import { type ExaminedFeed, examineFeeds } from '@steward/runner'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'

interface ListedFeed extends FeedSubscription {
  health: FeedHealth
  error_class: string | null
  error_count: number
  last_error: string | null
  last_success_at: string | null
  next_check_at: string | null
  last_tier: string | null
  permanent_url: string | null
}

export const createFeedsListCommand = (io: Io): Command =>
  new Command('list')
    .description('List your feeds and their health')
    .option('--failing', 'only those with errors')
    .option('--json', 'print JSON')
    .action((flags: { failing?: true; json?: true }) =>
      withLocalRuntime(io, async ({ feeds }) => {
        const all = (await examineFeeds(feeds)).map(toListed)
        const shown = flags.failing
          ? all.filter(({ health }) => health === 'failing' || health === 'skipped')
          : all
        if (flags.json) printJson(io.out, shown)
        else if (all.length === 0) io.out.write('no feeds yet: steward feeds add URL\n')
        else io.out.write(render(shown, io.out.paint))
      }),
    )

const toListed = ({ feed, health, record }: ExaminedFeed): ListedFeed => ({
  ...feed,
  health,
  error_class: record?.last_class ?? null,
  error_count: record?.error_count ?? 0,
  last_error: record?.last_error ?? null,
  last_success_at: record?.last_success_at ?? null,
  next_check_at: record?.next_check_at ?? null,
  last_tier: record?.last_tier ?? null,
  permanent_url: record?.permanent_url ?? null,
})

const render = (feeds: readonly ListedFeed[], paint: Paint): string => {
  if (feeds.length === 0) return 'no feed fails\n'
  const rows = feeds.map((feed) => [
    paintHealth(feed.health, paint),
    feed.error_class === null ? '' : `${feed.error_class} x${feed.error_count}`,
    feed.last_success_at === null ? 'never' : formatTime(feed.last_success_at),
    feed.next_check_at === null || feed.health === 'skipped' ? '' : formatTime(feed.next_check_at),
    feed.title === undefined ? feed.url : `${cleanText(feed.title)}  ${paint.dim(feed.url)}`,
  ])
  const told = feeds.flatMap(({ health, url, last_error, permanent_url }) => [
    ...(last_error === null || health === 'ok'
      ? []
      : [`${paint.red('error:')} ${url}: ${cleanText(last_error)}\n`]),
    ...(health === 'skipped' ? [`  try again: steward feeds retry ${url}\n`] : []),
    ...(permanent_url === null ? [] : [`${paint.dim('moved:')} ${url} to ${permanent_url}\n`]),
  ])
  const head = ['health', 'errors', 'last success', 'next check', 'feed'].map(paint.dim)
  return formatTable([head, ...rows]) + told.join('')
}

const paintHealth = (health: FeedHealth, paint: Paint): string => {
  switch (health) {
    case 'ok':
      return paint.green(health)
    case 'failing':
      return paint.yellow(health)
    case 'skipped':
      return paint.red(health)
    default:
      return paint.dim(health)
  }
}
