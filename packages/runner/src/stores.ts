import type { KnownStore } from '@steward/platform'
import { FLOWS_MIGRATIONS } from './destinations/database.ts'
import { FEED_MIGRATIONS } from './feed-store/feed-database.ts'
import { HISTORY_SCHEMA } from './history/open-history.ts'
import { QUEUE_MIGRATIONS } from './queue/schema.ts'

/** The databases of local execution and of the local edge's queues. */
export const RUNNER_STORES: readonly KnownStore[] = [
  { path: 'state/feeds.sqlite', migrations: FEED_MIGRATIONS },
  { path: 'state/queue.sqlite', migrations: QUEUE_MIGRATIONS },
  { path: 'state/edge/queues.sqlite', migrations: QUEUE_MIGRATIONS },
  { path: 'state/history.sqlite', migrations: HISTORY_SCHEMA },
  { path: 'state/flows.sqlite', migrations: FLOWS_MIGRATIONS },
]
