import { fail, LIMITS, ok, StewardError, toStewardError } from '@steward/contract'
import { type FeedBody, parseFeedBody, type ReadFeedBody } from '@steward/engine'
import { createReaderThreads, type ReaderThreadsOptions } from '@steward/platform'
import { FEED_MODULE } from './feed-module.ts'
import type { SentFeed } from './parse-feed-body.ts'

/** Even a hostile feed of this size takes less time than a thread takes to start. */
const SMALL_BYTES = 64 * 1024

/** Parses feeds in threads that can be ended, so that the daemon answers meanwhile; small ones directly. */
export const createFeedReader = (
  options: Partial<Pick<ReaderThreadsOptions, 'limitMs' | 'startTimer'>> = {},
): ReadFeedBody => {
  const threads = createReaderThreads<FeedBody, SentFeed>({
    module: FEED_MODULE,
    limitMs: LIMITS.feedReadMs,
    heapBytes: LIMITS.feedHeapBytes,
    ...options,
  })
  return async (feed, signal) => {
    if (feed.body.length <= SMALL_BYTES) return parseFeedBody(feed)
    try {
      const sent = await threads.read(feed, feed.hints.url ?? 'the body', signal)
      if ('feed' in sent) return ok(sent.feed)
      const { code, message, details } = sent.error
      return fail(StewardError.restore(code, message, details))
    } catch (thrown) {
      signal?.throwIfAborted()
      return fail(toStewardError(thrown))
    }
  }
}

/** One for the process: idle threads end. */
export const readFeedBody: ReadFeedBody = createFeedReader()
