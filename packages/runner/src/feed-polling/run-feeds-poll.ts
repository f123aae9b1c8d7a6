import {
  type FeedList,
  type Fetch,
  type FlowRunSummary,
  fail,
  LIMITS,
  ok,
  type Result,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  createSubrequestBudget,
  type FeedStore,
  failedChecks,
  NO_SPEND,
  type PollSummary,
  pollFeeds,
  type QueueProducer,
  recordError,
  type SourceOf,
  type SubrequestBudget,
  summarise,
} from '@steward/engine'
import { readFeedBody } from '../feed-reader/feed-reader.ts'
import type { Feeds } from '../feed-store/open-feeds.ts'
import type { FlowOutcome } from '../flows/flow-runner.ts'
import { endSourceRun, type SourceRun, type SourceRunPorts } from '../flows/source-run.ts'

export interface FeedsPollPorts extends SourceRunPorts {
  feeds: Feeds
  fetch: Fetch
  secret: (name: string) => string | undefined
}

/** A run of a flow whose source is `feeds`: fetches every due feed and enqueues new items. */
export const runFeedsPoll = async (
  run: SourceRun & { source: SourceOf<'feeds'>; queue: string },
  ports: FeedsPollPorts,
): Promise<FlowOutcome> => {
  const { runId, options } = run
  const startedAt = ports.now()
  const listed = await listFeeds(run, ports)
  if (!listed.ok) {
    const error = recordError(listed.error)
    const parts = {
      runId,
      startedAt,
      endedAt: ports.now(),
      sourceErrors: [{ ...error, item: null }],
      ...NOTHING,
    }
    return endSourceRun(run, summarise(parts), { error }, ports)
  }
  const polled = await poll(run, listed.value, ports)
  options.onProgress?.({ kind: 'note', runId, message: reasonFor(polled) })
  const summary = summaryOf(runId, polled, startedAt, ports.now())
  return endSourceRun(run, summary, { output: { ...polled } }, ports)
}

const NOTHING = { found: 0, alreadySeen: 0, postponed: 0, outcomes: [], spend: NO_SPEND }

const listFeeds = async (
  { loaded }: SourceRun,
  { feeds }: FeedsPollPorts,
): Promise<Result<FeedList>> => {
  try {
    const own = await feeds.file.read()
    return ok(own.length > 0 ? own : await feeds.fileBeside(loaded.folder).read())
  } catch (thrown) {
    return fail(toStewardError(thrown))
  }
}

const poll = (
  { source, queue, runId, options }: Parameters<typeof runFeedsPoll>[0],
  subscriptions: FeedList,
  { feeds, fetch, secret, now }: FeedsPollPorts,
): Promise<PollSummary> => {
  const budget = createSubrequestBudget()
  const { reader_url: readerUrl, proxy_url: proxyUrl } = source
  const proxyToken = secret('FEED_PROXY_TOKEN')
  const counted = countSubrequests(budget, {
    fetch,
    trustedFetch: (input, init) => feeds.fetchFor(String(input))(input, init),
    store: feeds.database().store,
    queue: feeds.queue(queue),
  })
  return pollFeeds({
    ...counted,
    feeds: subscriptions,
    readBody: readFeedBody,
    now,
    random: feeds.random,
    remaining: () => LIMITS.subrequestsPerRun - budget.used(),
    secret,
    ...(readerUrl === undefined ? {} : { readerUrl }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(proxyToken === undefined ? {} : { proxyToken }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onCheck: ({ url, outcome, message }) => {
      if (outcome === 'unmodified' || outcome === 'nothing-new') return
      options.onProgress?.({ kind: 'note', runId, message: `${url}: ${message}` })
    },
  })
}

/** The maximum number of errors in a summary; `steward feeds list` shows every feed's own. */
const ERRORS_SHOWN = 20

const summaryOf = (
  runId: string,
  polled: PollSummary,
  startedAt: number,
  endedAt: number,
): FlowRunSummary => {
  const { found, enqueued } = polled.items
  const failed = failedChecks(polled) + polled.problems.length
  return {
    runId,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    durationMs: Math.max(0, endedAt - startedAt),
    outcome: outcomeOf(polled, failed),
    reason: reasonFor(polled),
    items: {
      found,
      alreadySeen: found - enqueued,
      delivered: enqueued,
      rejected: 0,
      failed,
      waiting: 0,
      givenUp: 0,
      postponed: polled.postponed,
    },
    blocked: null,
    errors: errorsOf(polled).slice(0, ERRORS_SHOWN),
    spend: NO_SPEND,
  }
}

const outcomeOf = (polled: PollSummary, failed: number): FlowRunSummary['outcome'] => {
  if (polled.items.enqueued > 0) return failed === 0 ? 'delivered' : 'partial'
  const reached = polled.checked - failedChecks(polled)
  return failed > 0 && reached === 0 ? 'failed' : 'nothing-new'
}

const errorsOf = ({ errors, problems }: PollSummary): FlowRunSummary['errors'] => [
  ...problems.map(({ url, message }) => ({
    ...recordError(new StewardError('upstream_failed', { service: url, reason: message })),
    item: url,
  })),
  ...errors.map(({ url, class: className, message }) => ({
    ...recordError(
      new StewardError('upstream_failed', { service: url, reason: `${className}: ${message}` }),
    ),
    item: url,
  })),
]

const reasonFor = (polled: PollSummary): string => {
  if (polled.feeds === 0) return 'no feeds yet: steward feeds add URL'
  const { items, failed } = polled
  const classes = Object.entries(failed).map(([name, count]) => `${name}: ${count}`)
  const parts = [
    `${polled.checked} of ${polled.feeds} feeds checked`,
    `${items.enqueued} new items enqueued`,
    polled.unmodified > 0 && `${polled.unmodified} unmodified`,
    polled.waiting > 0 && `${polled.waiting} not due yet`,
    classes.length > 0 && `${failedChecks(polled)} failed (${classes.join(', ')})`,
    polled.open > 0 && `${polled.open} skipped after ${LIMITS.feedErrorBreaker} failures in a row`,
    polled.opened.length > 0 && `${polled.opened.length} of them for the first time in this run`,
    polled.postponed > 0 && `${polled.postponed} left for the next run`,
    polled.problems.length > 0 && `${polled.problems.length} with internal errors`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** Counts a poll's external calls as the platform would, so that both stop at the same point. */
const countSubrequests = <Message>(
  budget: SubrequestBudget,
  ports: { fetch: Fetch; trustedFetch: Fetch; store: FeedStore; queue: QueueProducer<Message> },
): typeof ports => {
  const counted =
    <Args extends unknown[], Value>(call: (...args: Args) => Promise<Value>) =>
    async (...args: Args): Promise<Value> => {
      budget.spend()
      return call(...args)
    }
  const { fetch, trustedFetch, store, queue } = ports
  return {
    fetch: counted(fetch),
    trustedFetch: counted(trustedFetch),
    store: { read: counted(store.read), write: counted(store.write) },
    queue: { sendBatch: counted((messages) => queue.sendBatch(messages)) },
  }
}
