import { join } from 'node:path'
import type { Fetch, Settings } from '@steward/contract'
import { createGuardedFetch, type Database, type Home, openDatabase } from '@steward/platform'
import {
  createQueue,
  createQueueInventory,
  QUEUE_MIGRATIONS,
  type Queue,
  type QueueInventory,
  type QueueOptions,
} from '../queue/index.ts'
import { type FeedDatabase, openFeedDatabase } from './feed-database.ts'
import { createFeedsFile, type FeedsFile } from './feeds-file.ts'

/** Feeds and queues of a data home. The databases are opened on first use. */
export interface Feeds {
  /** The user's own list, in USER/FLOWS. */
  file: FeedsFile
  /** The list beside a registry, used if the user has none. */
  fileBeside: (folder: string) => FeedsFile
  database: () => FeedDatabase
  queue: (name: string, options?: Omit<QueueOptions, 'now'>) => Queue
  /** Inspects all queues without receiving messages. */
  inventory: () => QueueInventory
  /** A fetch for an address that the user configured, which may be private. */
  fetchFor: (url: string) => Fetch
  random: () => number
  close: () => Promise<void>
}

export const openFeeds = (
  home: Home,
  { allowPrivateHosts }: Settings['execution']['fetch'],
  now: () => number,
): Feeds => {
  const locks = join(home.databases, 'locks')
  let database: FeedDatabase | undefined
  let queues: Database | undefined
  const openQueues = (): Database => {
    queues ??= openDatabase(home.queueDatabase, { migrations: QUEUE_MIGRATIONS })
    return queues
  }
  return {
    file: createFeedsFile(join(home.user.flows, FILE_NAME), locks),
    fileBeside: (folder) => createFeedsFile(join(folder, FILE_NAME), locks),
    database: () => {
      database ??= openFeedDatabase(join(home.databases, 'feeds.sqlite'))
      return database
    },
    queue: (name, options = {}) => createQueue(openQueues(), name, { now, ...options }),
    inventory: () => createQueueInventory(openQueues(), now),
    fetchFor: (url) =>
      createGuardedFetch({ allowPrivateHosts: [...allowPrivateHosts, new URL(url).hostname] }),
    random: Math.random,
    close: async () => {
      await Promise.all([database?.close(), queues?.close()])
    },
  }
}

const FILE_NAME = 'feeds.json'
