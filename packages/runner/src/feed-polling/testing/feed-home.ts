import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../../platform/src/testing/temporary-home.ts'

/** A data home with the two feed flows over a pipeline of one quick action. */
export const createFeedHome = (source: Record<string, unknown> = {}): TemporaryHome => {
  const home = createTemporaryHome()
  home.write(
    'settings.json',
    JSON.stringify({ execution: { fetch: { allowPrivateHosts: ['127.0.0.1'] } } }),
  )
  home.action(
    'A_RATE_ITEM',
    "return { one_sentence_summary: `about ${input.title}`, rating: 'A', quality_score: 80, labels: ['x'] }",
  )
  home.pipeline('P_RATE', ['A_RATE_ITEM'])
  const schedule = { intervalMinutes: 5, enabled: true }
  home.flows(
    {
      id: 'poller',
      name: 'F_FEEDS_POLLER',
      source: { type: 'feeds', ...source },
      destination: { type: 'queue', queue: 'feed-items' },
      schedule,
    },
    {
      id: 'processor',
      name: 'F_FEEDS_PROCESSOR',
      source: { type: 'queue', queue: 'feed-items', maxBatchSize: 20, maxRetries: 10 },
      pipeline: 'P_RATE',
      destination: { type: 'database', table: 'feed_items' },
      schedule,
    },
  )
  return home
}
